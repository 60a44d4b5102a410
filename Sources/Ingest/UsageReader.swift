import Domain
import Store

/// Reads what was used of the disputed purchase: what was reported for this very transaction, and the purchase's share of what was
/// reported for its customer.
struct UsageReader {
    private let app: AppSettings
    private let tx: any ReadTransaction
    private let file: CaseFile
    private let purchase: Purchase
    private let statement: ProductStatement?
    /// Millionths of units by meter.
    private let own: [String: Int64]
    private let refs: [String]
    /// All meters on which something was ever reported for the purchase or its customer.
    let reportedMeters: Set<String>

    init(app: AppSettings, tx: any ReadTransaction, file: CaseFile, purchase: Purchase) throws(StoreError) {
        self.app = app
        self.tx = tx
        self.file = file
        self.purchase = purchase
        statement = app.products[purchase.transaction.productID]
        own = try tx.usage(of: .transaction(purchase.transaction.transactionID), in: file.ledger)
        if let customer = file.customer { refs = try tx.usageRefs(of: customer) } else { refs = [] }
        var meters = Set(own.keys)
        for ref in refs { meters.formUnion(try tx.usage(of: .customer(ref: ref), in: file.ledger).keys) }
        reportedMeters = meters
    }

    /// Millionths of units used of the purchase; nil where that is not known. A sum below zero is zero.
    ///
    /// - Parameter isReportNeeded: Whether the meter itself must have been reported on; else any report on the customer will do, since
    ///   who reports at all would have reported this.
    func used(_ meter: String, isReportNeeded: Bool = true) throws(StoreError) -> Int64? {
        guard reportedMeters.contains(meter) else {
            let isKnown = statement?.usageIsComplete == true || (!isReportNeeded && !reportedMeters.isEmpty)
            return isKnown ? 0 : nil
        }
        let ofCustomer = try isPack(of: meter) ? chargedShare(meter) : usedInPeriod(meter)
        guard let ofCustomer else { return nil }
        return max(Int64(clamping: Int128(own[meter] ?? 0) + ofCustomer), 0)
    }

    private func isPack(of meter: String) -> Bool {
        !purchase.transaction.isAutoRenewable && statement?.meter == meter && (statement?.terms.granted ?? 0) > 0
    }

    /// What the customer used while the purchase ran: a subscription's period ends with the next one's beginning.
    private func usedInPeriod(_ meter: String) throws(StoreError) -> Int128? {
        let end = file.periods.first { purchase.transaction.purchaseDate < $0.transaction.purchaseDate }?.transaction.purchaseDate
        let until = [purchase.end(statement), purchase.transaction.isAutoRenewable ? end : nil].compactMap(\.self).min()
        return Int128(try sum(meter, from: purchase.transaction.purchaseDate, to: until ?? Timestamp(milliseconds: .max)))
    }

    /// Beyond so many packs of one customer the share is unknown rather than slow.
    private static let mostPacks = 400

    /// The purchase's share where units count for the oldest pack that is not used up.
    private func chargedShare(_ meter: String) throws(StoreError) -> Int128? {
        guard !refs.isEmpty else { return 0 }
        let packs = try packs(of: meter)
        guard packs.count <= UsageReader.mostPacks else { return nil }
        var spread = PackSpread(packs)
        for interval in spread.intervals { spread.charge(try sum(meter, from: interval.from, to: interval.to), in: interval) }
        return spread.charged(to: purchase.transaction.transactionID)
    }

    private func packs(of meter: String) throws(StoreError) -> [UnitPack] {
        guard let customer = file.customer else { return [] }
        var packs: [UnitPack] = []
        for bought in try tx.purchases(of: customer) {
            let transaction = bought.transaction
            guard let statement = app.products[transaction.productID], statement.meter == meter, let granted = statement.terms.granted
            else { continue }
            let used = try tx.usage(of: .transaction(transaction.transactionID), in: file.ledger)[meter] ?? 0
            let units = Int128(granted) * Int128(max(transaction.quantity, 1)) * 1_000_000
            packs.append(
                UnitPack(
                    transactionID: transaction.transactionID, from: transaction.purchaseDate,
                    until: [bought.end(statement), bought.revocation?.date].compactMap(\.self).min(), room: units - Int128(max(used, 0))))
        }
        return packs
    }

    private func sum(_ meter: String, from: Timestamp, to: Timestamp) throws(StoreError) -> Int64 {
        var sum: Int64 = 0
        for ref in refs {
            let said = try tx.usage(of: .customer(ref: ref), meter: meter, in: file.ledger, from: from, to: to)
            sum = Int64(clamping: Int128(sum) + Int128(said))
        }
        return sum
    }
}

extension Purchase {
    /// When what was bought ends: Apple's date, else the duration that the owner states; nil for never.
    func end(_ statement: ProductStatement?) -> Timestamp? {
        transaction.expiresDate ?? statement?.terms.duration.map { transaction.purchaseDate + $0 }
    }
}
