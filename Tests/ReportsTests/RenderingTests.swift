import Domain
import Store
import Testing

@testable import Reports

private let document = ReportDocument(
    name: "sample",
    scope: ReportScope(
        ledger: Ledger(app: AppID("acme"), environment: .production),
        span: ReportSpan(from: 20_454, to: 20_485, zone: .pacific)),
    notes: ["A \"note\"."],
    tables: [
        ReportTable(
            "rows", "All of it",
            columns: [.init("name", "name"), .init("count", "count"), .money("amount", "amount"), .init("share", "share")],
            rows: [
                [.text("=HYPERLINK(\"x\",\"y\")"), .count(12), .money(Money(amount: 10_990, currency: "USD")), .share(0.125)],
                [.text("two\nlines\u{1}"), .none, .money(Money(amount: -1_005, currency: "EUR")), .none],
                [.text("-1"), .count(-3), .none, .share(-0.00004)],
            ])
    ])

@Suite struct RenderingTests {
    @Test func asText() {
        #expect(
            TextRendering.text(document) == """
                sample of acme, Production, 2026-01-01 to 2026-01-31 (days in America/Los_Angeles)

                All of it
                  name                 count      amount   share
                  =HYPERLINK("x","y")     12   10.99 USD  12.5 %
                  two lines\u{1}               -  -1.005 EUR       -
                  -1                      -3           -   0.0 %

                - A "note".
                """)
    }

    @Test func asCSV() {
        #expect(
            CSVRendering.text(document, table: document.tables[0]) == """
                app,environment,from,to,zone,name,count,amount,amountCurrency,share
                acme,Production,2026-01-01,2026-02-01,America/Los_Angeles,"'=HYPERLINK(""x"",""y"")",12,10.99,USD,0.1250
                acme,Production,2026-01-01,2026-02-01,America/Los_Angeles,"two\nlines\u{1}",,-1.005,EUR,
                acme,Production,2026-01-01,2026-02-01,America/Los_Angeles,-1,-3,,,0.0000
                """)
    }

    @Test func asJSON() {
        #expect(
            JSONRendering.text(document) == #"""
                {"report":"sample","app":"acme","environment":"Production","from":"2026-01-01","to":"2026-02-01","zone":"America/Los_Angeles","notes":["A \"note\"."],"rows":[{"name":"=HYPERLINK(\"x\",\"y\")","count":12,"amount":{"amount":10990,"currency":"USD"},"share":0.1250},{"name":"two\u000alines\u0001","count":null,"amount":{"amount":-1005,"currency":"EUR"},"share":null},{"name":"-1","count":-3,"amount":null,"share":0.0000}]}
                """#)
    }

    @Test func commitmentCalculation() throws {
        let plan = try #require(CommitmentCalculation(upfront: 59_990, monthly: 6_990))
        #expect(plan.total == 83_880 && plan.monthsToUpfront == 9)
        #expect(plan.kept(refundingMonth: 1) == 0 && plan.lost(refundingMonth: 1) == 76_890)
        #expect(plan.kept(refundingMonth: 12) == 76_890 && plan.lost(refundingMonth: 12) == 0)
        #expect(CommitmentCalculation(upfront: 0, monthly: 1) == nil)
        #expect(try #require(CommitmentCalculation(upfront: 120_000, monthly: 9_000)).monthsToUpfront == nil)
        #expect(plan.document.notes.count == 2)
        #expect(try #require(CommitmentCalculation(upfront: 59_990, monthly: 7_990)).document.notes.count == 3)
    }
}
