import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let entitlementRoutes: [Route] = [
        .get(
            "/v1/apps/{app}/customers/{ref}/entitlements",
            Operation(
                id: "getEntitlements", summary: "What a customer may use, by everything known now.",
                query: [.environment, .init(name: "at", schema: .plausibleInstant, text: "As of this instant; now without it.")],
                answer: .json(.reference("Entitlements"))),
            DeskAPI.getEntitlements)
    ]

    private func getEntitlements(_ call: Call) async throws(Problem) -> HTTPResponse {
        let products = try call.app().products
        let ledger = try call.ledger()
        let instant = try call.instant("at") ?? call.now
        let ref = try call.ref()
        let holdings = try await read { tx throws(StoreError) in try Holdings(of: ref, in: ledger, tx) }
        guard let holdings else { throw .noSuchCustomer }
        let access = CustomerAccess(purchases: holdings.purchases, chains: holdings.chains) { products[$0]?.terms ?? ProductTerms() }
        return HTTPResponse(JSON(access, at: instant))
    }
}

/// What a customer's access is folded from.
private struct Holdings: Sendable {
    var purchases: [Purchase] = []
    var chains: [Chain] = []

    /// - Returns: nil where no customer has this name.
    init?(of ref: String, in ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) {
        guard let customer = try resolve(ref, in: ledger, tx) else { return nil }
        for alias in try tx.aliases(of: customer) where alias.kind == .originalTransactionID {
            let original = TransactionID(alias.value)
            purchases += try tx.purchases(original: original, in: ledger)
            if let chain = try tx.chain(original, in: ledger) { chains.append(chain) }
        }
    }
}

extension Problem {
    static let noSuchCustomer = Problem(
        .notFound, "No customer of this ledger has this name: it is known once a signed transaction carries it, or a link names it.")
}
