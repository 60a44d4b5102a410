import AppStore
import Domain
import Ingest
import Testing

@testable import API

/// Every answer is held against `/openapi.json` by the world itself.
@Suite struct ReportTests {
    private func told() async throws -> World {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        await world.consent("7041")
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        return world
    }

    @Test func tellsWhatWasAskedAndSold() async throws {
        let world = try await told()
        let reply = await world.get("/reports/refunds")
        #expect(reply.status == 200 && reply["zone"] == "UTC" && reply["report"] == "refunds")
        #expect(reply["byRequestDate.0.requests"] == 1 && reply["byRequestDate.0.sales"] == 1)
        #expect(reply["byPurchaseDate.0.undecided"] == 1)
        let days = await world.get("/reports/refunds?by=day&zone=America/Los_Angeles")
        #expect(days["zone"] == "America/Los_Angeles" && days["byRequestDate"]?.list.contains { $0["requests"] == 1 } == true)
        #expect(await world.get("/reports/refunds?environment=Sandbox")["byRequestDate"] == [])
    }

    @Test func givesOneTableAsCSV() async throws {
        let world = try await told()
        let reply = await world.get("/reports/refunds?format=csv&table=byPurchaseDate&zone=America/Los_Angeles")
        let lines = reply.text.split(separator: "\n")
        #expect(reply.status == 200 && lines.count == 2 && lines[0].hasPrefix("app,environment,from,to,zone,product,requests,"))
        #expect(lines[1].contains(",America/Los_Angeles,com.acme.coins100,1,"))
        let only = await world.get("/reports/refunds?table=byPurchaseDate")
        #expect(only["byPurchaseDate.0.requests"] == 1 && only["byRequestDate"] == nil)
    }

    @Test(arguments: ["outcomes", "costs", "customers", "prevention"]) func everyReportIsThere(_ name: String) async throws {
        let reply = await (try await told()).get("/reports/\(name)")
        #expect(reply.status == 200 && reply["report"]?.text == name)
        #expect((reply["notes"]?.list.count ?? 0) > 1)
    }

    @Test(
        arguments: [
            ("from=yesterday", "from"), ("to=2026-13-01", "to"), ("from=2026-03-01&to=2026-03-01", "from"), ("by=weather", "by"),
            ("zone=CET", "zone"), ("environment=all", "environment"),
            ("format=xml", "format"), ("table=weather", "table"),
        ])
    func aBadQuestionNamesItsField(_ query: String, _ field: String) async throws {
        let reply = await (try await told()).get("/reports/refunds?" + query)
        #expect(reply.status == 422 && reply["field"]?.text == field)
    }

    @Test func aBreakdownThatTheReportHasNotIsRefused() async throws {
        #expect(await (try await told()).get("/reports/costs?by=offer").status == 422)
    }
}
