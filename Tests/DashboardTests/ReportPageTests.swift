import Domain
import Reports
import Store
import Testing

@testable import Dashboard

@Suite struct ReportPageTests {
    private static let kinds = ReportKind.allCases

    private func browser(_ language: String = "en") async throws -> Browser {
        let world = try await World(limits: RepeatRefundLimits(granted: 1, requested: 1, days: 365))
        try await world.fill()
        let browser = Browser(world, language: language)
        try await browser.logIn()
        return browser
    }

    @Test(arguments: kinds) func eachTableHasItsFileAndItsZone(_ kind: ReportKind) async throws {
        let browser = try await browser()
        let page = await browser.get("/apps/acme/reports?report=\(kind.rawValue)&zone=America/Los_Angeles").text
        #expect(page.contains("America/Los_Angeles"))
        let links = page.matches(of: /href="([^"]*table\.csv[^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
        #expect(!links.isEmpty, "\(kind)")
        for link in links {
            let file = await browser.get(link)
            #expect(
                file.status == 200 && file.header("Content-Type") == "text/csv; charset=utf-8" && file.header("Cache-Control") == "no-store"
            )
            let lines = file.text.split(separator: "\n")
            #expect(lines[0].hasPrefix("app,environment,from,to,zone,"))
            #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("acme,Production,") && $0.contains(",America/Los_Angeles,") })
        }
    }

    @Test func theFigureOfTheChartIsThatOfTheTable() async throws {
        let page = await (try await browser()).get("/apps/acme/reports?report=refunds&by=reason").text
        #expect(page.contains("aria-label=\"Did not mean to buy it: Undecided 1\""))
        #expect(page.matches(of: /<svg viewBox="0 0 1000 20"/).count >= 3)
        let days = await (try await browser()).get("/apps/acme/reports?report=refunds&by=day&from=2026-09-01").text
        #expect(days.contains("2026-09-21: Full refund 1, Undecided 3") && days.contains("class=\"upright\""))
    }

    @Test func nobodyLooksWithoutALogin() async throws {
        let world = try await World()
        for path in ["/apps/acme/reports", "/apps/acme/reports/table.csv?report=customers"] {
            let reply = await Browser(world).get(path)
            #expect(!reply.text.contains("byRequestDate") && !reply.text.contains("7042001"), "\(path)")
        }
        #expect(await (try await browser()).get("/apps/acme/reports/table.csv?table=nothing").status == 404)
    }

    @Test func aQuestionThatMakesNoSenseIsOneOfTheLastThirtyDays() async throws {
        let page = await (try await browser()).get("/apps/acme/reports?from=2030-01-01&last=soon&zone=CET&by=weather").text
        #expect(page.contains("2026-09-21 – 2026-09-21, UTC"), "a first day behind the last is the last")
        let usual = await (try await browser()).get("/apps/acme/reports").text
        #expect(usual.contains("2026-08-23 – 2026-09-21, UTC"))
    }

    /// Every word that a report can be made of has a phrase.
    @Test func allColumnsAndTablesAreInTheCatalogue() async throws {
        let world = try await World()
        let span = ReportSpan(from: 0, to: 30_000, zone: .utc)
        let ledger = Ledger(app: world.app.id, environment: .production)
        for kind in Self.kinds {
            for by in kind.groupings.isEmpty ? [.product] : kind.groupings {
                let request = ReportRequest(ledger: ledger, span: span, by: by)
                let document = try await world.store.read { tx throws(StoreError) in try kind.document(request, tx) }
                for table in document.tables {
                    #expect(ReportTable.phrases[table.name] != nil, "\(table.name)")
                    for column in table.columns { #expect(column.phrase != .unknown, "\(table.name) \(column.name)") }
                }
            }
        }
    }

    @Test(arguments: [(Int64(0), Int64(1)), (1, 1), (3, 3), (7, 8), (9, 10), (11, 20), (61, 80), (1_001, 2_000), (.max, .max)])
    func scalesEndAtRoundNumbers(_ value: Int64, _ top: Int64) {
        #expect(ChartScale.top(value) == top)
        #expect(ChartScale.part(value, of: top) <= 1_000)
    }
}
