import Domain
import Postgres
import Store

private enum SQL {
    static let contact: StaticString = """
        SELECT complete_until_ms, looked_at_ms, failed_at_ms, failure, send_failed_at_ms, send_failure FROM contacts WHERE ledger_id = $1
        """
    static let putContact: StaticString = """
        INSERT INTO contacts (ledger_id, complete_until_ms, looked_at_ms, failed_at_ms, failure, send_failed_at_ms, send_failure)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (ledger_id) DO UPDATE SET
            complete_until_ms = excluded.complete_until_ms, looked_at_ms = excluded.looked_at_ms,
            failed_at_ms = excluded.failed_at_ms, failure = excluded.failure, send_failed_at_ms = excluded.send_failed_at_ms,
            send_failure = excluded.send_failure
        """
    static let read: StaticString = """
        SELECT from_ms, to_ms, only_failures, completes, pagination_token, restarts, pages, seen, new, duplicates, quarantined, refused,
            failed_sends, failures_after_ms, outage_began_ms, follow_up, ended_at_ms
        FROM history_reads WHERE ledger_id = $1 AND reader = $2
        """
    static let putRead: StaticString = """
        INSERT INTO history_reads (
            ledger_id, reader, from_ms, to_ms, only_failures, completes, pagination_token, restarts, pages, seen, new, duplicates,
            quarantined, refused, failed_sends, failures_after_ms, outage_began_ms, follow_up, ended_at_ms
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
        ON CONFLICT (ledger_id, reader) DO UPDATE SET
            from_ms = excluded.from_ms, to_ms = excluded.to_ms, only_failures = excluded.only_failures,
            completes = excluded.completes, pagination_token = excluded.pagination_token, restarts = excluded.restarts,
            pages = excluded.pages, seen = excluded.seen, new = excluded.new, duplicates = excluded.duplicates,
            quarantined = excluded.quarantined, refused = excluded.refused, failed_sends = excluded.failed_sends,
            failures_after_ms = excluded.failures_after_ms, outage_began_ms = excluded.outage_began_ms,
            follow_up = excluded.follow_up, ended_at_ms = excluded.ended_at_ms
        """
    static let revision: StaticString = """
        SELECT revision FROM refund_revisions WHERE ledger_id = $1 AND any_transaction_id = $2
        """
    static let putRevision: StaticString = """
        INSERT INTO refund_revisions (ledger_id, any_transaction_id, revision, at_ms)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (ledger_id, any_transaction_id) DO UPDATE SET
            revision = excluded.revision, at_ms = excluded.at_ms
        """
    static let deleteRevision: StaticString = "DELETE FROM refund_revisions WHERE ledger_id = $1 AND any_transaction_id = $2"
}

extension PostgresSession {
    func contact(of ledger: Ledger) throws(StoreError) -> LedgerContact? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres { try $0.first("contacts.find", SQL.contact, ledger) { try LedgerContact($0) } }
    }

    func put(_ contact: LedgerContact, of ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue(
                "contacts.put", SQL.putContact, ledger, contact.completeUntil, contact.lookedAt, contact.failure?.at, contact.failure?.text,
                contact.newestSendFailure?.at, contact.newestSendFailure?.rawResult)
        }
    }

    func historyRead(_ reader: HistoryRead.Reader, of ledger: Ledger) throws(StoreError) -> HistoryRead? {
        guard let number = try number(of: ledger) else { return nil }
        return try postgres {
            try $0.first("historyReads.find", SQL.read, number, reader.rawValue) { try HistoryRead($0, reader, of: ledger) }
        }
    }

    func put(_ read: HistoryRead) throws(StoreError) {
        let ledger = try numberForWriting(to: read.ledger)
        let counts = read.counts
        try postgres { connection in
            try connection.queue(
                "historyReads.put", SQL.putRead, ledger, read.reader.rawValue, read.from, read.to, read.onlyFailures, read.completes,
                read.paginationToken, read.restarts, read.pages, counts.seen, counts.new, counts.duplicates, counts.quarantined,
                counts.refused, counts.failedSends, read.failuresAfter, read.outageBegan, read.followUp, read.endedAt)
        }
    }

    func refundRevision(_ anyTransactionID: String, in ledger: Ledger) throws(StoreError) -> String? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres { try $0.first("refundRevisions.find", SQL.revision, ledger, anyTransactionID) { try $0.text(0) } }
    }

    func setRefundRevision(_ revision: String?, of anyTransactionID: String, in ledger: Ledger, at now: Timestamp) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            guard let revision else {
                try connection.queue("refundRevisions.delete", SQL.deleteRevision, ledger, anyTransactionID)
                return
            }
            try connection.queue("refundRevisions.put", SQL.putRevision, ledger, anyTransactionID, revision, now)
        }
    }
}

extension LedgerContact {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(completeUntil: try row.optionalTimestamp(&column), lookedAt: try row.optionalTimestamp(&column))
        if let at = try row.optionalTimestamp(&column), let text = try row.optionalText(&column) { failure = Failure(at: at, text: text) }
        column = 4
        if let at = try row.optionalTimestamp(&column), let result = try row.optionalText(&column) {
            newestSendFailure = SendFailure(at: at, rawResult: result)
        }
    }
}

extension HistoryRead {
    fileprivate init(_ row: borrowing Row, _ reader: Reader, of ledger: Ledger) throws(PostgresError) {
        var column = 0
        self.init(
            ledger: ledger, reader: reader, from: try row.timestamp(&column), to: try row.timestamp(&column),
            onlyFailures: try row.bool(&column), completes: try row.bool(&column))
        paginationToken = try row.optionalText(&column)
        restarts = try row.int64(&column)
        pages = try row.int64(&column)
        counts.seen = try row.int64(&column)
        counts.new = try row.int64(&column)
        counts.duplicates = try row.int64(&column)
        counts.quarantined = try row.int64(&column)
        counts.refused = try row.int64(&column)
        counts.failedSends = try row.int64(&column)
        failuresAfter = try row.optionalTimestamp(&column)
        outageBegan = try row.optionalTimestamp(&column)
        followUp = try row.optionalText(&column)
        endedAt = try row.optionalTimestamp(&column)
    }
}
