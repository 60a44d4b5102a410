import Domain
import Postgres
import Store

private enum SQL {
    // What a usage entry was found by is made of names.
    static let rewrite: StaticString = """
        UPDATE log SET body = $2, transaction_id = $3, reason = $4, identity = $5, used_at_ms = NULL, usage_group = NULL
        WHERE sequence = $1
        """
    static let dropBody: StaticString = "DELETE FROM log_bodies WHERE sequence = $1 AND received_at_ms = $2"
    static let unsalt: StaticString = "UPDATE audit SET salt = NULL WHERE log_sequence = $1"

    static let ofTransaction: [StaticString] = [
        "DELETE FROM purchases WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM case_events WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM cases WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM decisions WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM answers WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM attempts WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM deliveries WHERE ledger_id = $1 AND transaction_id = $2",
        "DELETE FROM usage_sums WHERE ledger_id = $1 AND subject_kind = 'transaction' AND subject = $2",
        "DELETE FROM usage_removed WHERE ledger_id = $1 AND subject_kind = 'transaction' AND subject = $2",
        "DELETE FROM refund_revisions WHERE ledger_id = $1 AND any_transaction_id = $2",
    ]
    static let ofChain: [StaticString] = [
        "DELETE FROM chains WHERE ledger_id = $1 AND original_transaction_id = $2",
        "DELETE FROM user_links WHERE ledger_id = $1 AND original_transaction_id = $2",
    ]
    static let ofName: [StaticString] = [
        "DELETE FROM consents WHERE ledger_id = $1 AND ref = $2",
        "DELETE FROM customer_settings WHERE ledger_id = $1 AND ref = $2",
        "DELETE FROM usage_sums WHERE ledger_id = $1 AND subject_kind = 'customer' AND subject = $2",
        "DELETE FROM usage_removed WHERE ledger_id = $1 AND subject_kind = 'customer' AND subject = $2",
    ]
    static let ofCustomer: [StaticString] = [
        "DELETE FROM aliases WHERE customer_id = $1", "DELETE FROM customers WHERE id = $1",
    ]
    static let outboxAbout: StaticString = "SELECT id FROM outbox WHERE ledger_id = $1 AND subject = $2 AND kind <> 'turn'"
    static let turnsOf: StaticString = "SELECT id FROM outbox WHERE ledger_id = $1 AND subject = $2 AND kind = 'turn'"
    // Every event names its chain.
    static let eventsAbout: StaticString = """
        SELECT id FROM outbox WHERE ledger_id = $1 AND kind = 'webhook' AND position(convert_to('"' || $2 || '"', 'UTF8') IN payload) > 0
        """
    static let dropAttempts: StaticString = "DELETE FROM delivery_attempts WHERE outbox_id = $1"
    static let dropRow: StaticString = "DELETE FROM outbox WHERE id = $1"
}

extension PostgresSession {
    func rewrite(_ entry: LogEntry) throws(StoreError) {
        try postgres { connection in
            try connection.queue(
                "log.rewrite", SQL.rewrite, entry.sequence, entry.body, entry.transactionID, entry.reason, entry.identity)
            try connection.queue("log.dropBody", SQL.dropBody, entry.sequence, entry.receivedAt)
            try connection.queue("audit.unsalt", SQL.unsalt, entry.sequence)
        }
    }

    func removeFolded(_ person: KnownPerson, identities: Set<String>) throws(StoreError) {
        let ledger = try numberForWriting(to: person.ledger)
        try postgres { connection in
            for id in person.transactions { for sql in SQL.ofTransaction { try connection.queue("forget.transaction", sql, ledger, id) } }
            for id in person.originals { for sql in SQL.ofChain { try connection.queue("forget.chain", sql, ledger, id) } }
            for ref in person.refs { for sql in SQL.ofName { try connection.queue("forget.name", sql, ledger, ref) } }
            if let customer = person.customer {
                for sql in SQL.ofCustomer { try connection.queue("forget.customer", sql, customer.rawValue) }
            }
            for id in try outboxRows(about: person, identities, ledger, connection) {
                try connection.queue("forget.attempts", SQL.dropAttempts, id)
                try connection.queue("forget.outbox", SQL.dropRow, id)
            }
        }
    }

    private func outboxRows(
        about person: KnownPerson, _ identities: Set<String>, _ ledger: Int64, _ connection: Connection
    ) throws -> Set<Int64> {
        var rows: Set<Int64> = []
        for subject in Set(person.transactions.map(\.rawValue)).union(person.originals.map(\.rawValue)).union(identities) {
            rows.formUnion(try connection.rows("forget.outboxAbout", SQL.outboxAbout, ledger, subject) { try $0.int64(0) })
        }
        if let customer = person.customer {
            rows.formUnion(try connection.rows("forget.turns", SQL.turnsOf, ledger, "\(customer.rawValue)") { try $0.int64(0) })
        }
        for original in person.originals {
            rows.formUnion(try connection.rows("forget.events", SQL.eventsAbout, ledger, original.rawValue) { try $0.int64(0) })
        }
        return rows
    }
}
