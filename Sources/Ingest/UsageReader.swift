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
    /// What is dated later has not been used yet.
    private let end: Timestamp
    /// Meters on which something was reported for this very transaction.
    private let own: Set<String>
    private let refs: [String]
    /// All meters on which something was ever reported for the purchase or its customer.
    let reportedMeters: Set<String>
    /// Whether usage of this very transaction was removed, and before when usage of its customer was.
    private let isOwnRemoved: Bool
    private let removedBefore: Timestamp?

    /// - Parameter now: The deciding instant.
    init(app: AppSettings, tx: any ReadTransaction, file: CaseFile, purchase: Purchase, at now: Timestamp) throws(StoreError) {
        self.app = app
        self.tx = tx
        self.file = file
        self.purchase = purchase
        statement = app.products[purchase.transaction.productID]
        end = now + .milliseconds(1)
        own = Set(try tx.usage(of: .transaction(purchase.transaction.transactionID), in: file.ledger).keys)
        if let customer = file.customer { refs = try tx.usageRefs(of: customer) } else { refs = [] }
        var meters = own
        for ref in refs { meters.formUnion(try tx.usage(of: .customer(ref: ref), in: file.ledger).keys) }
        reportedMeters = meters
        isOwnRemoved = try tx.usageRemoved(of: .transaction(purchase.transaction.transactionID), in: file.ledger) != nil
        removedBefore = try file.customer.flatMap { customer throws(StoreError) in try tx.usageRemoved(of: customer) }
    }

    /// Millionths of units used of the purchase; nil where that is not known. A sum below zero is zero.
    ///
    /// - Parameter isReportNeeded: Whether the meter itself must have been reported on; else any report on the customer will do, since
    ///   who reports at all would have reported this.
    func used(_ meter: String, isReportNeeded: Bool = true) throws(StoreError) -> Int64? {
        guard try isWhole(meter) else { return nil }
        guard reportedMeters.contains(meter) else {
            if statement?.usageIsComplete == true { return 0 }
            if isReportNeeded { return nil }
            return try isEverReported() ? 0 : nil
        }
        let ofCustomer = try isPack(of: meter) ? chargedShare(meter) : usedInPeriod(meter)
        guard let ofCustomer else { return nil }
        return max(Int64(clamping: Int128(try used(of: purchase.transaction.transactionID, meter)) + ofCustomer), 0)
    }

    /// Whether all usage that may count for the purchase is kept yet: of what is left alone nothing true could be said.
    private func isWhole(_ meter: String) throws(StoreError) -> Bool {
        if isOwnRemoved { return false }
        guard isPack(of: meter) else { return removedBefore.map { $0 <= purchase.transaction.purchaseDate } ?? true }
        if refs.isEmpty, removedBefore == nil { return true }
        // What was removed may have been charged to any pack there was, or have filled it, and so matters to this one.
        for pack in try packs(of: meter).prefix(UsageReader.mostPacks) {
            if let removedBefore, pack.from < removedBefore { return false }
            if try tx.usageRemoved(of: .transaction(pack.transactionID), in: file.ledger) != nil { return false }
        }
        return true
    }

    /// What was reported for a transaction itself.
    private func used(of id: TransactionID, _ meter: String) throws(StoreError) -> Int64 {
        try tx.usage(of: .transaction(id), meter: meter, in: file.ledger, from: Timestamp(milliseconds: .min), to: end)
    }

    /// Whether anything was ever reported on the customer, be it of another purchase.
    private func isEverReported() throws(StoreError) -> Bool {
        if removedBefore != nil { return true }
        guard reportedMeters.isEmpty, let customer = file.customer else { return !reportedMeters.isEmpty }
        for bought in try tx.purchases(of: customer).prefix(UsageReader.mostPacks) {
            if try !tx.usage(of: .transaction(bought.transaction.transactionID), in: file.ledger).isEmpty { return true }
        }
        return false
    }

    private func isPack(of meter: String) -> Bool {
        !purchase.transaction.isAutoRenewable && statement?.meter == meter && (statement?.terms.granted ?? 0) > 0
    }

    /// What the customer used while the purchase ran: a subscription's period ends with the next one's beginning.
    private func usedInPeriod(_ meter: String) throws(StoreError) -> Int128? {
        let next = file.periods.first { purchase.transaction.purchaseDate < $0.transaction.purchaseDate }?.transaction.purchaseDate
        let until = [purchase.end(statement), purchase.transaction.isAutoRenewable ? next : nil].compactMap(\.self).min()
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
            let units = Int128(granted) * Int128(max(transaction.quantity, 1)) * 1_000_000
            // A refund of a part takes that part of the units; one of the whole ends the pack.
            let taken = bought.revocation?.percentage ?? 100_000
            let isPart = bought.revocation != nil && taken < 100_000 && !transaction.isAutoRenewable
            let left = isPart ? units - units * Int128(max(taken, 0)) / 100_000 : units
            let until = [bought.end(statement), isPart ? nil : bought.revocation?.date].compactMap(\.self).min()
            packs.append(
                UnitPack(
                    transactionID: transaction.transactionID, from: transaction.purchaseDate, until: until,
                    room: left - Int128(max(try used(of: transaction.transactionID, meter), 0))))
        }
        return packs
    }

    private func sum(_ meter: String, from: Timestamp, to: Timestamp) throws(StoreError) -> Int64 {
        var sum: Int64 = 0
        for ref in refs {
            let said = try tx.usage(of: .customer(ref: ref), meter: meter, in: file.ledger, from: from, to: min(to, end))
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
