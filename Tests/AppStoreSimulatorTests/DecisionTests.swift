import Domain
import Testing

@testable import AppStoreSimulator

struct DecisionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var product = SampleProduct.coins100
        var reason = ConsumptionRequestReason.other
        var text: String?
        var preference: RefundPreference?
        var percentage: Int32?
        var expected: RefundOutcome
    }
    static let rows: [Row] = [
        Row(testDescription: "any reason", reason: .legal, text: "DECLINE", expected: .granted),
        Row(testDescription: "no text", expected: .granted),
        Row(testDescription: "DECLINE", text: "DECLINE", expected: .declined),
        Row(testDescription: "prorated, consumable", text: "GRANT_PRORATED", expected: .prorated(50_000)),
        Row(testDescription: "prorated, a third of the period over", product: .season, text: "GRANT_PRORATED", expected: .prorated(50_000)),
        Row(testDescription: "prorated, subscription", product: .proMonthly, text: "GRANT_PRORATED", expected: .prorated(66_666)),
        Row(testDescription: "an answer shapes it", preference: .grantProrated, percentage: 30_000, expected: .prorated(70_000)),
        Row(testDescription: "a wish to decline is no order", preference: .decline, expected: .granted),
    ]

    /// Asked and decided on the tenth day of a month of thirty.
    @Test(arguments: rows) func sandbox(_ row: Row) throws {
        var store = TestStore()
        let id = try store.environment.world.buy(
            "com.example." + row.product.rawValue, by: store.customer(), at: Timestamp(milliseconds: 1_775_001_600_000))  // 2026-04-01
        let transaction = try store.environment.world.purchase(id).transaction
        let asked = Timestamp(milliseconds: transaction.purchaseDate) + .days(10)
        let receipt = row.preference.map {
            ConsumptionReceipt(
                transactionID: id, receivedAt: asked, deliveryStatus: .delivered, sampleContentProvided: true,
                consumptionPercentage: row.percentage, refundPreference: $0)
        }
        let request = RefundRequest(transactionID: id, reason: row.reason, text: row.text, requestedAt: asked, round: 1)
        let decision = RefundDecision(request: request, transaction: transaction, receipt: receipt, now: asked)
        #expect(decision.outcome(.sandbox, seed: 1) == row.expected)
    }

    @Test func lifelikeMostlyHonoursAWishToDecline() throws {
        var store = TestStore()
        let id = try store.buy(.coins100)
        let transaction = try store.environment.world.purchase(id).transaction
        func granted(_ preference: RefundPreference?) -> Int {
            (UInt64(1)...400).count { seed in
                let receipt = ConsumptionReceipt(
                    transactionID: transaction.transactionId, receivedAt: noon, deliveryStatus: .delivered, sampleContentProvided: true,
                    refundPreference: preference)
                let request = RefundRequest(transactionID: transaction.transactionId, reason: .other, requestedAt: noon, round: 1)
                let decision = RefundDecision(request: request, transaction: transaction, receipt: receipt, now: noon)
                return decision.outcome(.lifelike, seed: seed) != .declined
            }
        }
        #expect(granted(.decline) < 140)
        #expect(granted(.grantFull) > 350)
        #expect((220...320).contains(granted(nil)))
    }

    @Test func aRoundIsDecidedOnce() throws {
        var store = TestStore()
        let id = try store.buy(.coins100)
        #expect(try store.environment.request(id, .other, text: "DECLINE", switchesRenewalOff: false, at: noon) == 1)
        #expect(throws: SimulatorError.self) {
            try store.environment.request(id, .other, text: nil, switchesRenewalOff: false, at: noon)
        }
        try store.environment.decide(id, round: 1, .sandbox, seed: 1, at: noon)
        try store.environment.decide(id, round: 1, .sandbox, seed: 1, at: noon)
        #expect(try store.environment.request(id, .other, text: nil, switchesRenewalOff: false, at: noon) == 2)
        try store.environment.decide(id, round: 2, .sandbox, seed: 1, at: noon)
        let types = store.environment.world.takeNotifications().map(\.notificationType)
        #expect(types == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "REFUND"])
        #expect(throws: SimulatorError.self) {
            try store.environment.request(id, .other, text: nil, switchesRenewalOff: false, at: noon)
        }
    }

    @Test func anAnswerAfterTheWindowChangesNothing() throws {
        var store = TestStore()
        let id = try store.buy(.coins100)
        _ = try store.environment.request(id, .other, text: nil, switchesRenewalOff: false, at: noon)
        store.now = noon + .hours(13)
        let body =
            #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"consumptionPercentage":30000,"refundPreference":"GRANT_PRORATED"}"#
        #expect(store.consume(id, body).status == 202)
        try store.environment.decide(id, round: 1, .sandbox, seed: 1, at: store.now)
        #expect(store.environment.requests[id]?.first?.outcome == .granted)
    }
}
