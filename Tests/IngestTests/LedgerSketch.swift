import Domain
import Store
import Testing

@testable import Ingest

extension TestDesk {
    /// The whole ledger of these customers on a few words: entitlements, balances, and the cases of these transactions; days count from
    /// the story's first, `+` is access. `+pro active 30 renews` · `-pro revoked 10` · `coins100 100-100` · `2001 refunded`
    func sketch(_ ids: [String]) async throws -> String {
        let access = try await access(ids)
        let now = clock.now()
        var parts = access.entitlements(at: now).map(\.sketch)
        parts += access.balances(at: now).map { "\($0.productID.short) \($0.purchased)-\($0.refunded)" }
        for id in ids { if let file = try await file(id) { parts.append("\(id) \(file.sketch)") } }
        return parts.joined(separator: ", ")
    }
}

extension Entitlement {
    fileprivate var sketch: String {
        var words = ["\(access.active ? "+" : "-")\(productID.short) \(state.rawValue)", access.until?.dayOfStory ?? "ever"]
        if willRenew { words.append("renews") }
        if let pendingProductID { words.append("then \(pendingProductID.short)") }
        if let seats { words.append("seats \(seats.quantity)-\(seats.revokedSeatQuantity)") }
        if let commitment {
            words.append(
                "\(commitment.billingPeriodNumber ?? 0)/12 \(commitment.state.rawValue)\(commitment.endsAfterTerm ? " ending" : "")")
        }
        return words.joined(separator: " ")
    }
}

extension CaseFile {
    fileprivate var sketch: String {
        var words = [folded.state.rawValue]
        for round in folded.rounds {
            let decision = decision(of: round)?.decision
            words.append("[\(decision?.kind.rawValue ?? "undecided")\((decision?.because ?? []).map { " " + $0.rawValue }.joined())]")
        }
        return words.joined(separator: " ")
    }
}

extension ProductID {
    fileprivate var short: String { String(rawValue.dropFirst("com.acme.".count)) }
}

extension Timestamp {
    fileprivate var dayOfStory: String { "\((self - on(0)).milliseconds / 86_400_000)" }
}
