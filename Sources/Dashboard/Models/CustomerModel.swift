import Domain
import Ingest
import Store

/// Everything that the page of one customer shows, read in one transaction.
struct CustomerModel: Sendable {
    static let mostCases = 50

    var ref: String
    var aliases: [Alias]
    var standing: ConsentStanding
    var consents: [RecordedConsent]
    var preference: CustomerPreference?
    var tags: [String]
    var access: CustomerAccess
    /// By transaction, for what spans do not tell.
    var purchases: [TransactionID: Purchase]
    var history: RefundHistory
    var cases: [CaseRow]

    /// - Returns: nil where nobody has this name.
    init?(_ ref: String, _ app: AppSettings, _ ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) {
        guard let customer = try resolve(ref, in: ledger, tx) else { return nil }
        self.ref = ref
        aliases = try tx.aliases(of: customer)
        let names = refs(of: aliases)
        standing = try consentStanding(of: aliases, app: app, in: ledger, tx)
        consents = try tx.consents(refs: names, in: ledger)
        preference = try tx.setting(.preference, refs: names, in: ledger)?.json.flatMap(CustomerPreference.init(rawValue:))
        tags = try tx.setting(.tags, refs: names, in: ledger)?.json?.split(separator: "\n").map(String.init) ?? []
        var chains: [Chain] = []
        for alias in aliases where alias.kind == .originalTransactionID {
            if let chain = try tx.chain(TransactionID(alias.value), in: ledger) { chains.append(chain) }
        }
        let purchases = try tx.purchases(of: customer)
        access = CustomerAccess(purchases: purchases, chains: chains) { app.products[$0]?.terms ?? ProductTerms() }
        self.purchases = Dictionary(purchases.map { ($0.transaction.transactionID, $0) }) { first, _ in first }
        history = try RefundHistory(of: customer, in: ledger, tx)
        cases = try tx.cases(CaseQuery(ledger: ledger, customer: customer, page: PageRequest(limit: CustomerModel.mostCases))).items
    }
}

/// One line of the list of customers.
struct CustomerItem: Sendable {
    var aliases: [Alias]
    var standing: ConsentStanding
    var counts: RefundCounts

    init(_ customer: CustomerID, _ app: AppSettings, _ ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) {
        aliases = try tx.aliases(of: customer)
        standing = try consentStanding(of: aliases, app: app, in: ledger, tx)
        counts = try tx.refundCounts(of: customer, from: nil, to: nil, without: nil)
    }
}
