import Domain
import Postgres
import Store

private enum SQL {
    static let content: StaticString = """
        SELECT sha256 FROM sales_days WHERE app = $1 AND kind = $2 AND vendor = $3 AND day = $4
        """
    static let days: StaticString = """
        SELECT DISTINCT day FROM sales_days WHERE app = $1 AND kind = $2 AND day >= $3 AND day < $4 ORDER BY day
        """
    static let refunds: StaticString = """
        SELECT day, product, territory, currency, sum(units_hundredths)::bigint, sum(amount)::bigint FROM sales_refunds
        WHERE app = $1 AND kind = $2 AND day >= $3 AND day < $4
        GROUP BY day, product, territory, currency ORDER BY day, product, territory, currency
        """
    static let products: StaticString = "SELECT apple_id, product FROM sales_products WHERE app = $1"
    static let putDay: StaticString = """
        INSERT INTO sales_days (app, kind, vendor, day, sha256, imported_at_ms) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (app, kind, vendor, day) DO UPDATE SET sha256 = excluded.sha256, imported_at_ms = excluded.imported_at_ms
        """
    static let dropRefunds: StaticString = """
        DELETE FROM sales_refunds WHERE app = $1 AND kind = $2 AND vendor = $3 AND day = $4
        """
    static let putRefund: StaticString = """
        INSERT INTO sales_refunds (app, kind, vendor, day, product, territory, currency, units_hundredths, amount)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    static let putProduct: StaticString = """
        INSERT INTO sales_products (app, apple_id, product) VALUES ($1, $2, $3)
        ON CONFLICT (app, apple_id) DO UPDATE SET product = excluded.product
        """
}

extension PostgresSession {
    func salesContent(_ day: SalesDay) throws(StoreError) -> String? {
        try postgres {
            try $0.first("sales.content", SQL.content, day.app, day.kind.rawValue, day.vendor, day.day) { try $0.text(0) }
        }
    }

    func salesDays(_ app: AppID, _ kind: SalesFileKind, from: Int64, to: Int64) throws(StoreError) -> [Int64] {
        try postgres { try $0.rows("sales.days", SQL.days, app, kind.rawValue, from, to) { try $0.int64(0) } }
    }

    func reportedRefunds(
        _ app: AppID, _ kind: SalesFileKind, from: Int64, to: Int64
    ) throws(StoreError) -> [(day: Int64, refund: ReportedRefund)] {
        try postgres {
            try $0.rows("sales.refunds", SQL.refunds, app, kind.rawValue, from, to) { row in
                let refund = ReportedRefund(
                    product: try row.text(1), territory: try row.text(2), currency: try row.text(3), units: try row.int64(4),
                    amount: try row.int64(5))
                return (day: try row.int64(0), refund: refund)
            }
        }
    }

    func salesProducts(_ app: AppID) throws(StoreError) -> [String: String] {
        let found = try postgres { try $0.rows("sales.products", SQL.products, app) { (try $0.text(0), try $0.text(1)) } }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    func put(_ file: SalesImport) throws(StoreError) {
        let day = file.day
        try postgres { connection in
            try connection.queue(
                "sales.putDay", SQL.putDay, day.app, day.kind.rawValue, day.vendor, day.day, file.sha256, file.importedAt)
            try connection.queue("sales.dropRefunds", SQL.dropRefunds, day.app, day.kind.rawValue, day.vendor, day.day)
            for refund in file.refunds {
                try connection.queue(
                    "sales.putRefund", SQL.putRefund, day.app, day.kind.rawValue, day.vendor, day.day, refund.product, refund.territory,
                    refund.currency, refund.units, refund.amount)
            }
        }
    }

    func put(salesProduct product: String, appleID: String, of app: AppID) throws(StoreError) {
        try postgres { connection in try connection.queue("sales.putProduct", SQL.putProduct, app, appleID, product) }
    }
}
