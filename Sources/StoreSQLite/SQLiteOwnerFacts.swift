import Domain
import SQLite
import Store

private enum SQL {
    static let consents: StaticString = """
        SELECT sequence, ref, consented, source, text_version, at_ms FROM consents
        WHERE ledger_id = ?1 AND ref = ?2 ORDER BY sequence
        """
    static let putConsent: StaticString = """
        REPLACE INTO consents (sequence, ledger_id, ref, consented, source, text_version, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """
    static let delivery: StaticString = "SELECT status, at_ms FROM deliveries WHERE ledger_id = ?1 AND transaction_id = ?2"
    static let putDelivery: StaticString = """
        INSERT INTO deliveries (ledger_id, transaction_id, status, at_ms) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET status = excluded.status, at_ms = excluded.at_ms WHERE excluded.at_ms >= at_ms
        """
    static let outages: StaticString = """
        SELECT from_ms, to_ms, status FROM product_outages WHERE ledger_id = ?1 AND product_id = ?2 ORDER BY position
        """
    static let dropOutages: StaticString = "DELETE FROM product_outages WHERE ledger_id = ?1 AND product_id = ?2"
    static let putOutage: StaticString = """
        INSERT INTO product_outages (ledger_id, product_id, position, from_ms, to_ms, status) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """
    static let setting: StaticString = """
        SELECT sequence, ref, json, at_ms FROM customer_settings WHERE ledger_id = ?1 AND kind = ?2 AND ref = ?3
        """
    static let putSetting: StaticString = """
        INSERT INTO customer_settings (ledger_id, kind, ref, sequence, json, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence, json = excluded.json, at_ms = excluded.at_ms
        WHERE (excluded.at_ms, excluded.sequence) >= (at_ms, sequence)
        """
}

extension SQLiteSession {
    func consents(refs: [String], in ledger: Ledger) throws(StoreError) -> [RecordedConsent] {
        guard let ledger = try number(of: ledger) else { return [] }
        var found: [RecordedConsent] = []
        for ref in Set(refs) {
            found += try sqlite {
                try $0.rows("consents.of", SQL.consents, ledger, ref) {
                    RecordedConsent(sequence: try $0.int64(0), fact: try ConsentFact($0))
                }
            }
        }
        return found.sorted { $0.sequence < $1.sequence }
    }

    func put(_ fact: ConsentFact, sequence: Int64, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run(
                "consents.put", SQL.putConsent, sequence, ledger, fact.ref, fact.consented, fact.source, fact.textVersion, fact.at)
        }
    }

    func delivery(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> DeliveryFact? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try sqlite {
            try $0.first("deliveries.find", SQL.delivery, ledger, id) { row in
                var column = 0
                return DeliveryFact(transactionID: id, status: try row.word(&column), at: try row.timestamp(&column))
            }
        }
    }

    func put(_ fact: DeliveryFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run("deliveries.put", SQL.putDelivery, ledger, fact.transactionID, fact.status.rawValue, fact.at)
        }
    }

    func outages(of product: ProductID, in ledger: Ledger) throws(StoreError) -> [Outage] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite {
            try $0.rows("outages.of", SQL.outages, ledger, product) { row in
                var column = 0
                return Outage(from: try row.timestamp(&column), to: try row.timestamp(&column), status: try row.word(&column))
            }
        }
    }

    func put(_ fact: OutagesFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run("outages.drop", SQL.dropOutages, ledger, fact.productID)
            for (position, outage) in fact.outages.enumerated() {
                try connection.run(
                    "outages.put", SQL.putOutage, ledger, fact.productID, position, outage.from, outage.to, outage.status.rawValue)
            }
        }
    }

    func setting(_ kind: CustomerSetting.Kind, refs: [String], in ledger: Ledger) throws(StoreError) -> CustomerSetting? {
        guard let ledger = try number(of: ledger) else { return nil }
        var newest: (sequence: Int64, setting: CustomerSetting)?
        for ref in Set(refs) {
            let found = try sqlite {
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
        try sqlite { connection in
            try connection.run(
                "settings.put", SQL.putSetting, ledger, setting.kind.rawValue, setting.ref, sequence, setting.json, setting.at)
        }
    }
}

extension ConsentFact {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 1
        self.init(
            ref: try row.text(&column), consented: try row.bool(&column), source: try row.text(&column),
            textVersion: try row.optionalText(&column), at: try row.timestamp(&column))
    }
}

extension CustomerSetting {
    fileprivate init(_ row: borrowing Row, _ kind: Kind) throws(SQLiteError) {
        var column = 1
        self.init(kind: kind, ref: try row.text(&column), json: try row.optionalText(&column), at: try row.timestamp(&column))
    }
}
