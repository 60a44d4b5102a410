import Foundation

extension RefundDesk {
    /// What a customer may use, by everything that the desk knows now.
    ///
    /// Ask when you need to know; or keep a table from webhooks (see ``WebhookVerifier``) and ask only when it is missing.
    ///
    /// - Parameters:
    ///   - customer: Any name of the customer.
    ///   - instant: As of when, past or to come; nil is now.
    /// - Throws: ``RefundDeskError``. ``RefundDeskError/Code/notFound`` where the ledger has no such customer, which for a user who never
    ///   bought anything is the ordinary case, and where no such app is configured, which is a mistake: ``RefundDeskError/detail`` says which.
    public func entitlements(of customer: String, at instant: Date? = nil) async throws -> Entitlements {
        let query = instant.map { [URLQueryItem(name: "at", value: "\(milliseconds($0))")] } ?? []
        return try await get(
            ["customers", try segment(customer, "customer", atMost: 256), "entitlements"], query: query, as: Entitlements.self)
    }
}
