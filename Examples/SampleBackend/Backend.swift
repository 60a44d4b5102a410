import Foundation
import RefundDeskClient

/// A backend of an app that sells on the App Store, reduced to what it says to the desk and hears from it. It knows no web framework.
actor Backend {
    private let desk: RefundDesk
    private let usage: UsageReporter
    private let verifier: WebhookVerifier
    private let app: String
    private let environment: RefundDesk.Environment
    private var table = AccessTable()

    /// - Parameters:
    ///   - app: As on the desk: what is heard of another one is somebody else's.
    ///   - environment: The desk's ledger that this backend is for.
    init(desk: RefundDesk, usage: UsageReporter, webhookSecret: String, app: String, environment: RefundDesk.Environment) throws {
        self.desk = desk
        self.usage = usage
        self.app = app
        self.environment = environment
        verifier = try WebhookVerifier(secret: webhookSecret)
    }

    /// The app's consent sheet was answered.
    func consent(user: String, agreed: Bool, textVersion: String) async throws -> RecordedConsent {
        agreed
            ? try await desk.recordConsent(of: user, source: "in-app sheet", textVersion: textVersion)
            : try await desk.withdrawConsent(of: user, source: "in-app sheet")
    }

    /// The app bought something, signed in as this user: StoreKit's signed transaction, and whose it is.
    func purchased(user: String, originalTransactionID: String, jws: String) async throws -> Receipt {
        let receipt = try await desk.submitTransaction(jws)
        try await desk.linkUser(user, toOriginalTransaction: originalTransactionID)
        return receipt
    }

    /// Work was done for the user. The job's id makes a repeated report count once.
    func used(user: String, coins: Decimal, job: String) async throws {
        try await usage.record(UsageEvent(id: job, subject: .customer(user), meter: "coins", quantity: coins))
    }

    func notDelivered(transactionID: String) async throws {
        try await desk.recordDelivery(of: transactionID, .undeliveredServerOutage)
    }

    /// A webhook: believed only with its signature, kept only where it is newer than what is known.
    ///
    /// Sandbox purchases are free and may be made by anybody who tests: one of them must not open what customers pay for. What is dropped is
    /// not an error, or it would be sent again.
    func heard(headers: [String: String], body: Data) throws {
        let event = try verifier.verify(headers: headers, body: body)
        guard event.data.app == app, event.data.environment == environment.rawValue else { return }
        table.take(event)
    }

    /// From the table where webhooks filled it, else from the desk.
    func mayUse(_ productID: String, user: String, at instant: Date) async throws -> Bool {
        if let known = table.mayUse(productID, user: user, at: instant) { return known }
        do { return try await desk.entitlements(of: user).allows(productID, at: instant) } catch let error as RefundDeskError
            where error.code == .notFound
        {
            return false  // Never bought anything.
        }
    }

    func flush() async throws -> UsageReceipt { try await usage.flush() }
}

/// What each user may use, by the newest event.
struct AccessTable {
    private var rows: [String: (sequence: Int64, entitlements: [Entitlement])] = [:]

    mutating func take(_ event: WebhookEvent) {
        guard let user = event.data.customer.userId, event.sequence > rows[user]?.sequence ?? -1 else { return }
        rows[user] = (event.sequence, event.data.entitlements)
    }

    /// - Returns: nil where no event told of the user.
    func mayUse(_ productID: String, user: String, at instant: Date) -> Bool? {
        rows[user].map { $0.entitlements.contains { $0.productId == productID && $0.allowsUse(at: instant) } }
    }
}
