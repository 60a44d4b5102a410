import Foundation

/// A consent or a withdrawal as the desk keeps it.
public struct RecordedConsent: Sendable, Equatable, Decodable {
    public var at: Date
    public var consented: Bool
    public var source: String
    public var textVersion: String?
    /// Of its link in the desk's audit trail: keep it with your own record of the consent as proof.
    public var auditHash: String?
}

extension RefundDesk {
    /// Records that a customer agreed that data about their purchases may go to Apple when Apple reviews a refund request.
    ///
    /// Record only what the customer did: an affirmative act, after a text that names Apple and says that the consent can be withdrawn.
    /// A consent that is recorded while a request is open leads to the answer at once.
    ///
    /// - Parameters:
    ///   - customer: Any name: your user id, `appAccountToken`, `appTransactionId` or an `originalTransactionId`. It need not be known yet.
    ///   - source: Where the customer agreed, such as `in-app dialog`. Apple forbids App Tracking Transparency, so the desk refuses it.
    ///   - textVersion: Which text was shown. Versions compare number by number: `2026-9` is older than `2026-10`.
    /// - Throws: ``RefundDeskError``; ``RefundDeskError/Code/superseded`` where the customer took it back meanwhile, or a later consent was recorded.
    @discardableResult
    public func recordConsent(of customer: String, source: String, textVersion: String? = nil) async throws -> RecordedConsent {
        try await record(ConsentBody(consented: true, source: source, textVersion: textVersion), of: customer)
    }

    /// Records that a customer takes the consent back, or never gave it. An answer under way is cancelled.
    ///
    /// Of two words about one name the later call wins, also while the earlier one is being tried again: an earlier yes gives up with
    /// ``RefundDeskError/Code/superseded`` at once, an earlier no once the later yes was recorded. That holds within one value of this
    /// type and its copies; where several processes speak for one customer, keep the order yourself. Unless it was superseded, call it
    /// again until it succeeds: a no that was not recorded is not known.
    ///
    /// - Parameters:
    ///   - customer: Any name, as in ``recordConsent(of:source:textVersion:)``.
    ///   - source: Where the customer said so.
    @discardableResult
    public func withdrawConsent(of customer: String, source: String) async throws -> RecordedConsent {
        try await record(ConsentBody(consented: false, source: source), of: customer)
    }

    /// What was recorded of a customer's consent, oldest first.
    public func consents(of customer: String) async throws -> [RecordedConsent] {
        try await get(["customers", try segment(customer, "customer", atMost: 256), "consent"], as: ConsentHistory.self).items
    }

    private func record(_ body: ConsentBody, of customer: String) async throws -> RecordedConsent {
        let path = ["customers", try segment(customer, "customer", atMost: 256), "consent"]
        let request = try request("PUT", path, body: body)
        let word = await order.enter(customer.lowercased(), consented: body.consented)
        do {
            let answer = try await send(request) { [order] attempt in try await order.run(word, attempt) }
            await order.leave(word)
            return try decode(RecordedConsent.self, from: answer)
        } catch {
            await order.leave(word)
            throw error
        }
    }
}

private struct ConsentBody: Encodable {
    var consented: Bool
    var source: String
    var textVersion: String?
}

private struct ConsentHistory: Decodable { var items: [RecordedConsent] }
