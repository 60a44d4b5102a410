import Domain
import Foundation
import HTTPClient

/// A scenario being played: a world of its own, a clock that may lie in the past, and the desk.
struct ScenarioStage: Sendable {
    let setting: ScenarioSetting
    var world: StoreWorld
    /// The story's own instant.
    var clock: Timestamp
    private(set) var postCount = 0
    /// The running simulator that the desk answers to; nil where none was found.
    private var simulatorURL: String?

    init(_ setting: ScenarioSetting, environment: Environment) {
        self.setting = setting
        let firstID = 2_000_001_000_000_000 + Int64(setting.seed % 1_000_000_000) * 100_000
        world = StoreWorld(environment: environment, apps: [setting.app], seed: setting.seed, firstID: firstID)
        clock = setting.time.now()
    }

    // MARK: Time

    mutating func begin(ago span: Span) { clock = setting.time.now() - span }
    mutating func advance(_ span: Span) { clock = clock + span }
    /// The story has caught up with the clock on the wall.
    mutating func reachPresent() { clock = max(clock, setting.time.now()) }

    // MARK: Customers and purchases

    mutating func customer() -> StoreCustomer {
        let customer = world.newCustomer(of: setting.app.bundleID, at: clock)
        setting.report("customer \(customer.appTransactionID), appAccountToken \(customer.appAccountToken ?? "none")")
        return customer
    }

    mutating func buy(_ product: SampleProduct, by customer: StoreCustomer, _ options: PurchaseOptions = PurchaseOptions()) throws -> String
    {
        try world.buy(setting.app.product(product).id, by: customer, options, at: clock)
    }

    /// A year's commitment with that many months paid; the last began `days` days ago.
    mutating func commitment(months: Int64, lastBegan days: Int64 = 10) throws -> (original: String, periods: [String]) {
        let now = setting.time.now()
        var start = now - .days(days + 31 * (months - 1))
        clock = start
        let original = try buy(.proYearly, by: customer(), PurchaseOptions(isCommitment: true))
        var periods = [original]
        while periods.count < months {
            start = Timestamp(milliseconds: try world.newestTransaction(of: original).expiresDate ?? 0)
            clock = start
            periods.append(try world.renew(original, at: clock))
        }
        return (original, periods)
    }

    // MARK: The desk

    /// Posts what happened since the last call, each message once; the desk must take every one.
    mutating func deliver() async throws {
        await inform()
        for notification in world.takeNotifications() { try await deliver(notification) }
    }

    mutating func deliver(_ notification: StoreNotification) async throws {
        let outcome = await post(notification.body(setting.identity.signer))
        let title = [notification.notificationType, notification.subtype].compactMap { $0 }.joined(separator: "/")
        let about = notification.transaction.map { " \($0.transactionId) \($0.productId)" } ?? ""
        setting.report("\(title)\(about) -> \(Self.text(outcome))")
        guard outcome.result == "SUCCESS" else { throw ScenarioFailure("the desk did not take \(title).") }
        let answer = JSONValue(outcome.body)?.object
        if answer?["result"] == "quarantined" {
            let reason = answer?["reason"]?.string ?? "no reason"
            throw ScenarioFailure("the desk quarantined \(title) as \(reason). Put its bundleId and appAppleId first in simulator.json.")
        }
    }

    /// Posts bytes as they are.
    mutating func post(_ body: [UInt8]) async -> NotificationSender.Outcome {
        postCount += 1
        return await setting.sender.post(body, to: setting.url)
    }

    /// Counts messages that were posted past ``post(_:)``.
    mutating func count(_ posts: Int) { postCount += posts }

    static func text(_ outcome: NotificationSender.Outcome) -> String {
        guard let status = outcome.status else { return outcome.result }
        let answer = JSONValue(outcome.body)?.object
        let words = ["result", "reason", "code"].compactMap { answer?[$0]?.string }
        return ([String(status)] + words).joined(separator: " ")
    }

    // MARK: The running simulator

    /// Looks for the simulator that `simulator.json` names.
    mutating func meetSimulator() async {
        let description = setting.identity.description
        let url = world.environment == .production ? description.productionURL : description.sandboxURL
        guard let url, await control("POST", url, "/control/transactions", ["transactions": []]) != nil else {
            return setting.report("No simulator runs: what the desk answers is not seen. Start one on the same folder to see it.")
        }
        simulatorURL = url
    }

    /// The running simulator learns of all purchases, so that it says of them what the notifications say.
    private func inform() async {
        guard let simulatorURL else { return }
        let known = Parcel(transactions: world.purchases.values.map(\.transaction), renewals: world.chains.values.map(\.renewal))
        guard let parcel = JSONValue(encodeJSON(known)) else { preconditionFailure("what was just encoded") }
        _ = await control("POST", simulatorURL, "/control/transactions", parcel)
    }

    /// A customer asks: the running simulator knows the purchase, the desk is asked, and its answer is waited for.
    mutating func ask(about transactionID: String, _ reason: ConsumptionRequestReason = .unintendedPurchase) async throws {
        try await deliver()
        let earlier = await answers(about: transactionID).count
        try world.askForRefund(of: transactionID, reason, at: clock)
        try await deliver()
        await awaitAnswer(about: transactionID, after: earlier)
    }

    private func awaitAnswer(about transactionID: String, after earlier: Int) async {
        guard simulatorURL != nil else { return }
        let end = setting.time.now() + setting.answerPatience
        while setting.time.now() < end {
            let answers = await answers(about: transactionID)
            if answers.count > earlier, let newest = answers.last {
                return setting.report("the desk answered: \(String(decoding: encodeJSON(newest), as: UTF8.self))")
            }
            do { try await setting.time.sleep(until: setting.time.now() + .milliseconds(50)) } catch { return }
        }
        setting.report("the desk did not answer: the customer's consent may be missing, or a rule says so")
    }

    private func answers(about transactionID: String) async -> [JSONValue] {
        guard let simulatorURL, let reply = await control("GET", simulatorURL, "/control/answers/" + transactionID, nil),
            case .array(let answers)? = reply.object?["answers"]
        else { return [] }
        return answers
    }

    /// - Returns: The reply, an empty object where it has no body; nil where nobody listens or the call was refused.
    private func control(_ method: String, _ url: String, _ path: String, _ body: JSONValue?) async -> JSONValue? {
        let request = HTTPClientRequest(
            method: method, url: url + path, headers: [("Content-Type", "application/json")], body: body.map { encodeJSON($0) },
            timeout: .seconds(5), allowsPrivateTargets: true)
        guard let response = try? await setting.client.send(request), (200..<300).contains(response.status) else { return nil }
        return JSONValue(response.body) ?? [:]
    }
}
