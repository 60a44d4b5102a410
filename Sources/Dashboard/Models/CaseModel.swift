import Domain
import Ingest
import Store

/// Everything that the page of one case shows, read in one transaction.
struct CaseModel: Sendable {
    /// How many other cases of the same customer are listed.
    static let mostOthers = 20

    var file: CaseFile
    var events: [CaseEvent]
    var outlook: CaseOutlook?
    var consents: [RecordedConsent]
    var delivery: DeliveryFact?
    var history: RefundHistory?
    var others: [CaseRow]
    var access: CustomerAccess?

    /// - Returns: nil where there is no such case.
    init?(_ id: TransactionID, _ app: AppSettings, _ ledger: Ledger, at now: Timestamp, _ tx: any ReadTransaction) throws(StoreError) {
        guard let file = try CaseFile(id, in: ledger, tx) else { return nil }
        self.file = file
        events = try tx.caseEvents(id, in: ledger).sorted()
        outlook = try CaseOutlook(of: file, app: app, at: now, tx)
        consents = try tx.consents(refs: refs(of: file.aliases), in: ledger)
        delivery = try tx.delivery(id, in: ledger)
        guard let customer = file.customer else {
            others = []
            return
        }
        history = try RefundHistory(of: customer, in: ledger, tx)
        let page = PageRequest(limit: CaseModel.mostOthers + 1)
        others = try tx.cases(CaseQuery(ledger: ledger, customer: customer, page: page)).items.filter { $0.transactionID != id }
        let chains = file.chain.map { [$0] } ?? []
        access = CustomerAccess(purchases: file.periods, chains: chains) { app.products[$0]?.terms ?? ProductTerms() }
    }
}

extension CaseModel {
    /// The chain's access just before and just after an instant.
    func change(at instant: Timestamp) -> (before: Entitlement?, after: Entitlement?)? {
        guard let access, file.purchase != nil else { return nil }
        func row(_ instant: Timestamp) -> Entitlement? {
            let rows = access.entitlements(at: instant)
            return rows.first { $0.transactionID == file.transactionID } ?? rows.first
        }
        return (row(instant - .milliseconds(1)), row(instant))
    }

    /// Under which name the customer's page finds the customer.
    var customerRef: String? { file.aliases.first?.value }
}
