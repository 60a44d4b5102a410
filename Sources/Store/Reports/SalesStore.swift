import Domain

/// Which of Apple's files a row comes from.
package enum SalesFileKind: String, Sendable, CaseIterable {
    case summary, event, subscriber
}

/// One day of one kind, as one file told it.
package struct SalesDay: Hashable, Sendable {
    package var app: AppID
    package var kind: SalesFileKind
    /// Apple's number of the seller, from the file's name; empty where the name does not tell it.
    package var vendor: String
    /// Of Pacific Time, counted since 1970-01-01.
    package var day: Int64

    package init(app: AppID, kind: SalesFileKind, vendor: String, day: Int64) {
        self.app = app
        self.kind = kind
        self.vendor = vendor
        self.day = day
    }
}

/// Refunds as Apple reports them: of one product, territory and currency on one day.
package struct ReportedRefund: Hashable, Sendable {
    /// A product id; in files that have none `apple:` and Apple's number of the product.
    package var product: String
    /// Three letters; as it stood in the file where that is not known.
    package var territory: String
    /// Empty where the file has none.
    package var currency: String
    /// Hundredths.
    package var units: Int64
    /// What customers got back, in milliunits, not below zero.
    package var amount: Int64

    package init(product: String, territory: String, currency: String, units: Int64, amount: Int64) {
        self.product = product
        self.territory = territory
        self.currency = currency
        self.units = units
        self.amount = amount
    }
}

package struct SalesImport: Sendable {
    package var day: SalesDay
    /// Of the unpacked text, in hexadecimal.
    package var sha256: String
    package var importedAt: Timestamp
    package var refunds: [ReportedRefund]

    package init(day: SalesDay, sha256: String, importedAt: Timestamp, refunds: [ReportedRefund]) {
        self.day = day
        self.sha256 = sha256
        self.importedAt = importedAt
        self.refunds = refunds
    }
}

package protocol SalesReading {
    /// The content that a day's file had; nil where none was imported.
    func salesContent(_ day: SalesDay) throws(StoreError) -> String?
    /// Which days of a kind were imported, in `[from, to)`.
    func salesDays(_ app: AppID, _ kind: SalesFileKind, from: Int64, to: Int64) throws(StoreError) -> [Int64]
    /// In the order of day, product, territory and currency.
    func reportedRefunds(
        _ app: AppID, _ kind: SalesFileKind, from: Int64, to: Int64
    ) throws(StoreError) -> [(day: Int64, refund: ReportedRefund)]
    /// Product ids by Apple's number of the product, as files that have both told them.
    func salesProducts(_ app: AppID) throws(StoreError) -> [String: String]
}

package protocol SalesWriting {
    /// Takes the place of whatever was imported for the same day.
    func put(_ file: SalesImport) throws(StoreError)
    func put(salesProduct product: String, appleID: String, of app: AppID) throws(StoreError)
}
