import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let usageRoutes: [Route] = [
        .post(
            "/v1/apps/{app}/usage",
            Operation(
                id: "reportUsage", summary: "Reports what was used. An event counts once by its id; all of them are taken, or none.",
                query: [.environment], body: .object(["events": .array(of: event, atMost: UsageBody.most)]), status: 202,
                answer: .json(
                    .object(
                        [
                            "accepted": .integer, "duplicates": .integer,
                            "expired": .integer.described("Older than `retention.usage`: they count for nothing."),
                        ], optional: ["expired"]))),
            DeskAPI.reportUsage)
    ]

    private static let event = Schema.one(
        of: event(
            ["customer": Schema.id(atMost: Call.longestName).described("By any name."), "transactionId": .null], without: "transactionId"),
        event(["transactionId": .id(atMost: Call.longestTransactionID), "customer": .null], without: "customer"))

    private static func event(_ subject: KeyValuePairs<String, Schema>, without other: String) -> Schema {
        let members: [(String, Schema)] = [
            ("id", Schema.id(atMost: UsageBody.longestID).described("Yours; makes a repeat count once.")),
            ("meter", .text(atMost: UsageBody.longestMeter)), ("quantity", quantity), ("at", .plausibleInstant),
        ]
        return .object(members: members + subject.map { ($0.key, $0.value) }, optional: [other])
    }

    private static let quantity = Schema(json: ["type": "number", "minimum": -1_000_000_000, "maximum": 1_000_000_000]).described(
        "Up to six decimal places; negative as a correction.")

    private func reportUsage(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let facts = try call.body(as: UsageBody.self).facts()
        let now = call.now
        let names = facts.contains { app.retention.isPast($0, at: now) } ? ledger.touchingOldEntries : []
        let counts = try await write(touching: names) { tx throws(StoreError) -> [UsageReceipt: Int] in
            let desk = OwnerDesk(app: app, ledger: ledger, tx: tx, now: now, actor: call.actor)
            var counts: [UsageReceipt: Int] = [:]
            for fact in facts { counts[try desk.record(fact), default: 0] += 1 }
            return counts
        }
        let answer: JSON = ["accepted": JSON(counts[.accepted] ?? 0), "duplicates": JSON(counts[.duplicate] ?? 0)]
        return HTTPResponse(status: 202, counts[.expired].map { answer.adding("expired", JSON($0)) } ?? answer)
    }
}

private struct UsageBody: Decodable {
    struct Event: Decodable {
        var id: WireID
        var customer: WireID?
        var transactionId: WireID?
        var meter: String
        var quantity: WireQuantity
        var at: WireInstant
    }
    var events: [Event]

    static let most = 1_000
    /// In characters, as the other.
    static let longestID = 200
    static let longestMeter = 100

    func facts() throws(Problem) -> [UsageFact] {
        guard events.count <= UsageBody.most else {
            throw .invalid("events", "must not hold more than \(UsageBody.most) events: send several requests.")
        }
        var facts: [UsageFact] = []
        for (index, event) in events.enumerated() { facts.append(try event.fact("events[\(index)]")) }
        return facts
    }
}

extension UsageBody.Event {
    /// - Parameter place: Names the event in errors.
    func fact(_ place: String) throws(Problem) -> UsageFact {
        UsageFact(
            id: try bounded(id.text, "\(place).id", atMost: UsageBody.longestID), subject: try subject(place),
            meter: try bounded(meter, "\(place).meter", atMost: UsageBody.longestMeter), millionths: quantity.millionths, at: at.value)
    }

    private func subject(_ place: String) throws(Problem) -> UsageFact.Subject {
        switch (customer, transactionId) {
        case (let customer?, nil): .customer(ref: normalizedRef(try bounded(customer.text, "\(place).customer", atMost: Call.longestName)))
        case (nil, let id?): .transaction(TransactionID(try bounded(id.text, "\(place).transactionId", atMost: Call.longestTransactionID)))
        default: throw .invalid("\(place).customer", "or `transactionId` must be given, one of the two.")
        }
    }
}
