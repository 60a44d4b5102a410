import Domain
import Store

/// Takes sales files into the store.
package struct SalesDesk {
    package enum Result: Hashable, Sendable {
        case imported(days: Int, refunds: Int)
        /// The same content is there already.
        case known
        /// Of so many days another content was there.
        case replaced(days: Int)
    }
    let app: AppID
    let tx: any WriteTransaction
    let now: Timestamp

    package init(_ app: AppID, _ tx: any WriteTransaction, at now: Timestamp) {
        self.app = app
        self.tx = tx
        self.now = now
    }

    /// A file of the same days and vendor takes the place of the one before: Apple may correct itself.
    package func take(_ file: SalesFile) throws(StoreError) -> Result {
        var (new, replaced) = (0, 0)
        for (day, refunds) in file.days.sorted(by: { $0.key < $1.key }) {
            let day = SalesDay(app: app, kind: file.kind, vendor: file.vendor, day: day)
            let before = try tx.salesContent(day)
            guard before != file.sha256 else { continue }
            if before == nil { new += 1 } else { replaced += 1 }
            try tx.put(SalesImport(day: day, sha256: file.sha256, importedAt: now, refunds: refunds))
        }
        for (appleID, product) in file.products.sorted(by: { $0.key < $1.key }) {
            try tx.put(salesProduct: product, appleID: appleID, of: app)
        }
        if replaced > 0 { return .replaced(days: replaced) }
        return new == 0 ? .known : .imported(days: new, refunds: file.days.values.reduce(0) { $0 + $1.count })
    }
}
