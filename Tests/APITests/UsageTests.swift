import AppStore
import Domain
import Store
import Testing

@testable import API

@Suite struct UsageTests {
    private func events(_ quantity: String, id: String = "e1", subject: String = #""transactionId":"1""#) -> String {
        #"{"id":"\#(id)",\#(subject),"meter":"coins","quantity":\#(quantity),"at":1790000000000}"#
    }
    private func body(_ events: String...) -> String { #"{"events":[\#(events.joined(separator: ","))]}"# }

    @Test func countsAnEventOnce() async throws {
        let world = try await World()
        #expect(
            await world.post("/usage", body(events("3"), events("4", id: "e2"), events("5", id: "e2"))).text
                == #"{"accepted":2,"duplicates":1}"#)
        #expect(await world.post("/usage", body(events("3"))).text == #"{"accepted":0,"duplicates":1}"#)
        #expect(await world.post("/usage", body()).text == #"{"accepted":0,"duplicates":0}"#)
        #expect(try await world.used(.transaction(TransactionID("1"))) == ["coins": 7_000_000])
    }

    @Test(
        arguments: [
            ("3", 3_000_000), ("0.1", 100_000), ("0.000001", 1), ("-2.5", -2_500_000), ("1e3", 1_000_000_000), ("2.50000000000", 2_500_000),
            ("0.30000000000000004", 300_000), ("0.0000001", 0), ("123456789.123456", 123_456_789_123_456),
            ("1000000000", 1_000_000_000_000_000), ("0", 0), ("-0.0", 0), ("1e-300", 0), ("-5e-324", 0),
        ] as [(String, Int64)])
    func takesQuantitiesExactly(_ quantity: String, _ millionths: Int64) async throws {
        let world = try await World()
        #expect(await world.post("/usage", body(events(quantity))).status == 202)
        #expect(try await world.used(.transaction(TransactionID("1"))) == ["coins": millionths])
    }

    @Test(arguments: ["1000000000.1", "1e10", "1e300", "-1000000001", "\"3\"", "null", "true"])
    func refusesWhatItCannotKeep(_ quantity: String) async throws {
        let world = try await World()
        let reply = await world.post("/usage", body(events("1", id: "e0"), events(quantity)))
        #expect(reply.status == 422 && reply["field"] == "events[1].quantity", "\(reply.text)")
        #expect(try await world.used(.transaction(TransactionID("1"))) == [:])
    }

    @Test func wantsOneSubject() async throws {
        let world = try await World()
        for subject in [#""x":1"#, #""customer":"c","transactionId":"1""#] {
            #expect(await world.post("/usage", body(events("1", subject: subject)))["field"] == "events[0].customer")
        }
        #expect(await world.post("/usage", body(events("1", subject: #""customer":"7E3FB20B-4CDB-47CC-936D-99D65F608138""#))).status == 202)
        #expect(try await world.used(.customer(ref: "7e3fb20b-4cdb-47cc-936d-99d65f608138")) == ["coins": 1_000_000])
        #expect(await world.post("/usage", body(events("1", id: "e2", subject: #""transactionId":2000000000000002"#))).status == 202)
        #expect(try await world.used(.transaction(TransactionID("2000000000000002"))) == ["coins": 1_000_000])
    }

    @Test func boundsARequest() async throws {
        let world = try await World()
        let many = (0...1_000).map { events("1", id: "e\($0)") }.joined(separator: ",")
        #expect(await world.post("/usage", body(many))["field"] == "events")
        #expect(
            await world.post("/usage", #"{"events":[{"id":"e","customer":"c","meter":"m","quantity":1,"at":-1}]}"#)["field"]
                == "events[0].at")
        #expect(await world.post("/usage", #"{"events":[{"id":"e","customer":"c","meter":"m","quantity":1}]}"#)["field"] == "events[0].at")
        #expect(
            await world.post("/usage", #"{"events":[{"id":"e","customer":"c","meter":"m","quantity":1,"at":1.5}]}"#)["field"]
                == "events[0].at")
        #expect(await world.post("/usage", #"{"events":[7]}"#)["field"] == "events[0]")
        #expect(await world.post("/usage", "{}")["field"] == "events")
    }
}

extension World {
    fileprivate func used(_ subject: UsageFact.Subject) async throws -> [String: Int64] {
        let ledger = Ledger(app: app.id, environment: .production)
        return try await store.read { tx throws(StoreError) in try tx.usage(of: subject, in: ledger) }
    }
}
