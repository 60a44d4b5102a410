import Domain
import Postgres
import Store

private enum SQL {
    static let consents: StaticString = """
        SELECT sequence, ref, consented, source, text_version, at_ms FROM consents
        WHERE ledger_id = $1 AND ref = $2 ORDER BY sequence
        """
    static let putConsent: StaticString = """
        INSERT INTO consents (sequence, ledger_id, ref, consented, source, text_version, at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (sequence) DO UPDATE SET
            ledger_id = excluded.ledger_id, ref = excluded.ref, consented = excluded.consented, source = excluded.source,
            text_version = excluded.text_version, at_ms = excluded.at_ms
        """
    static let delivery: StaticString = "SELECT status, at_ms FROM deliveries WHERE ledger_id = $1 AND transaction_id = $2"
    static let putDelivery: StaticString = """
        INSERT INTO deliveries (ledger_id, transaction_id, status, at_ms) VALUES ($1, $2, $3, $4)
        ON CONFLICT (ledger_id, transaction_id) DO UPDATE SET status = excluded.status, at_ms = excluded.at_ms
        WHERE excluded.at_ms >= deliveries.at_ms
        """
    static let outages: StaticString = """
        SELECT from_ms, to_ms, status FROM product_outages WHERE ledger_id = $1 AND product_id = $2 ORDER BY position
        """
    // Whoever decides about a case holds the same lock, shared: see `hold`.
    static let lockOutages: StaticString = "SELECT pg_advisory_xact_lock($1)"
    static let dropOutages: StaticString = "DELETE FROM product_outages WHERE ledger_id = $1 AND product_id = $2"
    static let putOutage: StaticString = """
        INSERT INTO product_outages (ledger_id, product_id, position, from_ms, to_ms, status) VALUES ($1, $2, $3, $4, $5, $6)
        """
    static let setting: StaticString = """
        SELECT sequence, ref, json, at_ms FROM customer_settings WHERE ledger_id = $1 AND kind = $2 AND ref = $3
        """
    static let putSetting: StaticString = """
        INSERT INTO customer_settings (ledger_id, kind, ref, sequence, json, at_ms) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (ledger_id, kind, ref) DO UPDATE SET sequence = excluded.sequence, json = excluded.json, at_ms = excluded.at_ms
        WHERE (excluded.at_ms, excluded.sequence) >= (customer_settings.at_ms, customer_settings.sequence)
        """
}

extension PostgresSession {
    func consents(refs: [String], in ledger: Ledger) throws(StoreError) -> [RecordedConsent] {
        guard let ledger = try number(of: ledger) else { return [] }
        var found: [RecordedConsent] = []
        for ref in Set(refs) {
            found += try postgres {
                try $0.rows("consents.of", SQL.consents, ledger, ref) {
                    RecordedConsent(sequence: try $0.int64(0), fact: try ConsentFact($0))
                }
            }
        }
        return found.sorted { $0.sequence < $1.sequence }
    }

    func put(_ fact: ConsentFact, sequence: Int64, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue(
                "consents.put", SQL.putConsent, sequence, ledger, fact.ref, fact.consented, fact.source, fact.textVersion, fact.at)
        }
    }

    func delivery(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> DeliveryFact? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres {
            try $0.first("deliveries.find", SQL.delivery, ledger, id) { row in
                var column = 0
                return DeliveryFact(transactionID: id, status: try row.word(&column), at: try row.timestamp(&column))
            }
        }
    }

    func put(_ fact: DeliveryFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue("deliveries.put", SQL.putDelivery, ledger, fact.transactionID, fact.status.rawValue, fact.at)
        }
    }

    func outages(of product: ProductID, in ledger: Ledger) throws(StoreError) -> [Outage] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try postgres {
            try $0.rows("outages.of", SQL.outages, ledger, product) { row in
                var column = 0
                return Outage(from: try row.timestamp(&column), to: try row.timestamp(&column), status: try row.word(&column))
            }
        }
    }

    func put(_ fact: OutagesFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue("outages.lock", SQL.lockOutages, AdvisoryKey.outages(ledger).number)
            try connection.queue("outages.drop", SQL.dropOutages, ledger, fact.productID)
            for (position, outage) in fact.outages.enumerated() {
                try connection.queue(
                    "outages.put", SQL.putOutage, ledger, fact.productID, position, outage.from, outage.to, outage.status.rawValue)
            }
        }
    }

    func setting(_ kind: CustomerSetting.Kind, refs: [String], in ledger: Ledger) throws(StoreError) -> CustomerSetting? {
        guard let ledger = try number(of: ledger) else { return nil }
        var newest: (sequence: Int64, setting: CustomerSetting)?
        for ref in Set(refs) {
            let found = try postgres {
                try $0.first("settings.find", SQL.setting, ledger, kind.rawValue, ref) {
                    (sequence: try $0.int64(0), setting: try CustomerSetting($0, kind))
                }
            }
            guard let found else { continue }
            if let newest, (newest.setting.at, newest.sequence) > (found.setting.at, found.sequence) { continue }
            newest = found
        }
        return newest?.setting
    }

    func put(_ setting: CustomerSetting, sequence: Int64, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue(
                "settings.put", SQL.putSetting, ledger, setting.kind.rawValue, setting.ref, sequence, setting.json, setting.at)
        }
    }
}

extension ConsentFact {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 1
        self.init(
            ref: try row.text(&column), consented: try row.bool(&column), source: try row.text(&column),
            textVersion: try row.optionalText(&column), at: try row.timestamp(&column))
    }
}

extension CustomerSetting {
    fileprivate init(_ row: borrowing Row, _ kind: Kind) throws(PostgresError) {
        var column = 1
        self.init(kind: kind, ref: try row.text(&column), json: try row.optionalText(&column), at: try row.timestamp(&column))
    }
}
