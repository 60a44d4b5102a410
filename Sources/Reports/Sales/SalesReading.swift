import Domain
import Store

/// Finds the refunds in a file of one of three kinds.
struct SalesReading {
    struct Key: Hashable {
        var product: String
        var territory: String
        var currency: String
    }
    private(set) var kind: SalesFileKind
    var days: [Int64: [Key: ReportedRefund]] = [:]
    private(set) var products: [String: String] = [:]
    private(set) var ownRows = 0

    init(_ table: SalesTable, _ app: SalesApp) throws(SalesFileError) {
        if table.has(
            "Product Type Identifier", "SKU", "Units", "Customer Price", "Customer Currency", "Country Code", "Begin Date", "End Date")
        {
            kind = .summary
            try readSummary(table, app)
        } else if table.has("Subscriber ID", "Refund", "Customer Price", "Country", "Event Date") {
            kind = .subscriber
            try readSubscriber(table, app)
        } else if table.has("Event", "Quantity", "Country", "Event Date") {
            kind = .event
            try readEvents(table, app)
        } else {
            throw SalesFileError(
                "it is none of the files that are known: Summary Sales, Subscription Event and Subscriber, as App Store Connect gives them")
        }
    }

    /// - Throws: Beyond what anybody sells, so that sums over days cannot overflow.
    private mutating func add(
        _ row: SalesTable.Row, _ day: Int64, product: String, country: String, currency: String, units: Int64, amount: Int64
    ) throws(SalesFileError) {
        let key = Key(product: product, territory: Territory.threeLetters(country), currency: currency.uppercased())
        let none = ReportedRefund(product: key.product, territory: key.territory, currency: key.currency, units: 0, amount: 0)
        var sum = days[day]?[key] ?? none
        guard units <= SalesReading.bound - sum.units, amount <= SalesReading.bound - sum.amount else {
            throw SalesFileError("line \(row.line): units or amounts are beyond any sum")
        }
        sum.units += units
        sum.amount += amount
        days[day, default: [:]][key] = sum
    }

    private static let bound: Int64 = 1_000_000_000_000_000

    /// The amount of so many units, each at a price; the price itself of no unit.
    private func amount(_ row: SalesTable.Row, units: Int64, price: Int64) throws(SalesFileError) -> Int64 {
        let (product, overflow) = units.multipliedReportingOverflow(by: price)
        guard !overflow else { throw SalesFileError("line \(row.line): units or amounts are beyond any sum") }
        return units == 0 ? price : product / 100
    }
}

// MARK: Summary Sales

extension SalesReading {
    /// In-app purchases: consumables and the rest (`IA1`), non-renewing (`IA9`), auto-renewable (`IAY`), for the Mac with `-M`, and `FI1`.
    /// `IA3` are restores, which cost nothing.
    private static func isInApp(_ identifier: String) -> Bool {
        identifier.hasPrefix("IA") && !identifier.hasPrefix("IA3") || identifier.hasPrefix("FI1")
    }

    private mutating func readSummary(_ table: SalesTable, _ app: SalesApp) throws(SalesFileError) {
        let sku = try ownSKU(table, app)
        for row in table.rows {
            let day = try row.day("Begin Date")
            guard try row.day("End Date") == day else {
                throw SalesFileError("it spans several days: import daily files, which refunds can be compared by")
            }
            days[day, default: [:]].merge([:]) { first, _ in first }
            guard SalesReading.isInApp(row["Product Type Identifier"]), sku == nil || row["Parent Identifier"] == sku else { continue }
            ownRows += 1
            if !row["Apple Identifier"].isEmpty { products[row["Apple Identifier"]] = row["SKU"] }
            try readSummary(row, day)
        }
    }

    /// A refund has negative units, or a negative price where the units are 0. Per unit the price of a refund is negative and so are the
    /// units: their product would be positive, hence magnitudes. Credits of bundles are negative as well, and are no refunds.
    private mutating func readSummary(_ row: SalesTable.Row, _ day: Int64) throws(SalesFileError) {
        let units = try row.decimal("Units", places: 2)
        let price = try row.decimal("Customer Price", places: 3)
        guard units < 0 || price < 0, row["CMB"] != "CMB-C" else { return }
        let (count, each) = (abs(units), abs(price))
        try add(
            row, day, product: try row.text("SKU"), country: try row.text("Country Code"), currency: try row.text("Customer Currency"),
            units: count, amount: try amount(row, units: count, price: each))
    }

    /// The SKU of the app: as given, or as the app's own row tells it, or that of the one app there is in the file.
    private func ownSKU(_ table: SalesTable, _ app: SalesApp) throws(SalesFileError) -> String? {
        if let sku = app.sku { return sku }
        if let appleID = app.appleID, let own = table.rows.first(where: { $0["Apple Identifier"] == "\(appleID)" }) { return own["SKU"] }
        let parents = Set(table.rows.filter { SalesReading.isInApp($0["Product Type Identifier"]) }.map { $0["Parent Identifier"] })
        guard parents.count > 1 else { return parents.first }
        throw SalesFileError(
            "it has purchases of several apps (\(parents.sorted().joined(separator: ", "))), and none is known to be this one: name it with --sku"
        )
    }
}

// MARK: Subscription Event and Subscriber

extension SalesReading {
    private func isOwn(_ row: SalesTable.Row, _ app: SalesApp) -> Bool {
        app.appleID == nil || row["App Apple ID"].isEmpty || row["App Apple ID"] == app.appleID.map { "\($0)" }
    }

    /// These files have no product id.
    private func product(_ row: SalesTable.Row) -> String { SalesCheck.nameless + row["Subscription Apple ID"] }

    private mutating func readEvents(_ table: SalesTable, _ app: SalesApp) throws(SalesFileError) {
        for row in table.rows {
            let day = try row.day("Event Date")
            days[day, default: [:]].merge([:]) { first, _ in first }
            guard isOwn(row, app) else { continue }
            ownRows += 1
            guard row["Event"] == "Refund" else { continue }
            try add(
                row, day, product: product(row), country: try row.text("Country"), currency: "",
                units: abs(try row.decimal("Quantity", places: 2)), amount: 0)
        }
    }

    /// One row a transaction; a refund's date is that of the event, its purchase date the original purchase's.
    private mutating func readSubscriber(_ table: SalesTable, _ app: SalesApp) throws(SalesFileError) {
        for row in table.rows {
            let day = try row.day("Event Date")
            days[day, default: [:]].merge([:]) { first, _ in first }
            guard isOwn(row, app) else { continue }
            ownRows += 1
            guard row["Refund"].lowercased() == "yes" else { continue }
            let price = abs(try row.decimal("Customer Price", places: 3))
            let units = table.has("Units") ? abs(try row.decimal("Units", places: 2)) : 100
            try add(
                row, day, product: product(row), country: try row.text("Country"), currency: try row.text("Customer Currency"),
                units: units, amount: try amount(row, units: units, price: price))
        }
    }
}
