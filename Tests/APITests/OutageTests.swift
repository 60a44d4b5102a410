import AppStore
import Domain
import Ingest
import Testing

@testable import API

/// Outages of products, recorded by the owner's backend.
@Suite struct OutageTests {
    private static let hour = #"{"from":1789910000000,"to":1789920000000,"status":"UNDELIVERED_SERVER_OUTAGE"}"#

    @Test func replacesWhatWasRecordedAndKeepsWhatIsConfigured() async throws {
        var app = AppSettings.acme
        app.products.rest?.outages = [
            Outage(from: Timestamp(milliseconds: 1), to: Timestamp(milliseconds: 2), status: .undeliveredOther)
        ]
        let world = try await World(app: app)
        let path = "/products/com.acme.gem/outages"
        let configured = #"{"from":1,"to":2,"status":"UNDELIVERED_OTHER","origin":"configured"}"#
        #expect(await world.get(path).text == #"{"items":[\#(configured)],"nextCursor":null}"#)
        let text = #"{"from":"2026-11-01T10:00Z","to":"2026-11-01T14:00:30Z","status":"UNDELIVERED_QUALITY_ISSUE"}"#
        let reply = await world.put(path, "[\(Self.hour),\(text)]")
        let recorded = #"{"from":1789910000000,"to":1789920000000,"status":"UNDELIVERED_SERVER_OUTAGE","origin":"recorded"}"#
        let second = #"{"from":1793527200000,"to":1793541630000,"status":"UNDELIVERED_QUALITY_ISSUE","origin":"recorded"}"#
        #expect(reply.text == #"{"items":[\#(recorded),\#(second),\#(configured)],"nextCursor":null}"#)
        #expect(await world.get(path).text == reply.text)
        #expect(await world.put(path, "[\(Self.hour)]")["items"]?.list.count == 2)
        #expect(await world.put(path, "[]").text == #"{"items":[\#(configured)],"nextCursor":null}"#)
    }

    @Test func theRestIsEveryProductThatIsNotNamed() async throws {
        let world = try await World()
        #expect(await world.put("/products/*/outages", "[\(Self.hour)]").status == 200)
        #expect(await world.get("/products/com.acme.gem/outages")["items"]?.list.count == 1)
        #expect(await world.get("/products/com.acme.coins100/outages")["items"] == [])
        #expect(await world.get("/products/*/outages?environment=Sandbox")["items"] == [])
    }

    @Test func anOpenRequestIsAnsweredAtOnce() async throws {
        let world = try await World()
        await world.consent("7041")
        await world.notify("CONSUMPTION_REQUEST", world.coins("1", ["productId": "com.acme.unstated"]))
        #expect(await world.get("/cases/1")["rounds.0.decision.because"] == ["delivery-unknown"])
        #expect(await world.put("/products/com.acme.unstated/outages", "[\(Self.hour)]").status == 200)
        #expect(await world.get("/cases/1")["rounds.0.decision.kind"] == "answer")
    }

    @Test(
        arguments: [
            ("{", 400, nil), ("{}", 422, nil), ("null", 422, nil), ("[1]", 422, "[0]"), (#"[{"from":1,"to":2}]"#, 422, "[0].status"),
            (#"[{"from":2,"to":2,"status":"UNDELIVERED_OTHER"}]"#, 422, "[0].to"),
            (#"[{"from":1,"to":2,"status":"DELIVERED"}]"#, 422, "[0].status"),
            (#"[{"from":1,"to":2,"status":"LOST"}]"#, 422, "[0].status"),
            (#"[{"from":"yesterday","to":2,"status":"UNDELIVERED_OTHER"}]"#, 422, "[0].from"),
            (#"[{"from":"2026-02-30T10:00Z","to":"2026-11-01T10:00Z","status":"UNDELIVERED_OTHER"}]"#, 422, "[0].from"),
            (#"[{"from":1.5,"to":2,"status":"UNDELIVERED_OTHER"}]"#, 422, "[0].from"),
            (#"[{"from":1,"to":253402300800000,"status":"UNDELIVERED_OTHER"}]"#, 422, "[0].to"),
            ("[" + Array(repeating: hour, count: 301).joined(separator: ",") + "]", 422, nil),
        ] as [(String, Int, String?)])
    func namesTheMistake(_ body: String, _ status: Int, _ field: String?) async throws {
        let world = try await World()
        let reply = await world.put("/products/p/outages", body)
        #expect(reply.status == status && reply["field"]?.text == field, "\(reply.text)")
        #expect(await world.get("/products/p/outages")["items"] == [])
    }
}
