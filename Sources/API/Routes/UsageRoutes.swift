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
                query: [.environment], body: .object(["events": .array(of: event)]), status: 202,
                answer: .json(.object(["accepted": .integer, "duplicates": .integer]))),
            DeskAPI.reportUsage)
    ]

    private static let event = Schema.object(
        [
            "id": .string.described("Yours; makes a repeat count once."),
            "customer": .string.described("By any name; this or `transactionId`."), "transactionId": .string, "meter": .string,
            "quantity": .number.described("Up to six decimal places; negative as a correction."), "at": .instant,
        ], optional: ["customer", "transactionId"])

    private func reportUsage(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let facts = try call.body(as: UsageBody.self).facts()
        let now = call.now
        let accepted = try await write { tx throws(StoreError) -> Int in
            let desk = OwnerDesk(app: app, ledger: ledger, tx: tx, now: now, actor: call.actor)
            var accepted = 0
            for fact in facts where try desk.record(fact) { accepted += 1 }
            return accepted
        }
        return HTTPResponse(status: 202, ["accepted": JSON(accepted), "duplicates": JSON(facts.count - accepted)])
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
            id: try bounded(id.text, "\(place).id", atMost: 200), subject: try subject(place),
            meter: try bounded(meter, "\(place).meter", atMost: 100), millionths: quantity.millionths, at: at.value)
    }

    private func subject(_ place: String) throws(Problem) -> UsageFact.Subject {
        switch (customer, transactionId) {
        case (let customer?, nil): .customer(ref: normalizedRef(try bounded(customer.text, "\(place).customer", atMost: 256)))
        case (nil, let id?): .transaction(TransactionID(try bounded(id.text, "\(place).transactionId", atMost: 64)))
        default: throw .invalid("\(place).customer", "or `transactionId` must be given, one of the two.")
        }
    }
}
