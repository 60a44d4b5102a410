import Domain
import SQLite
import Store

private enum SQL {
    static let append: StaticString = """
        INSERT INTO log (
            kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment, transaction_id,
            signed_at_ms, received_at_ms, body, used_at_ms, usage_group
        ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
        ON CONFLICT (identity) WHERE identity IS NOT NULL DO NOTHING
        """
    static let byIdentity: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE identity = ?1
        """
    static let bySequence: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE sequence = ?1
        """
    static let after: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """
    static let listed: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE ledger_id = ?1 AND kind IN ('notification', 'transaction') AND sequence < ?2
        ORDER BY sequence DESC LIMIT ?3
        """
    static let listedByType: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE ledger_id = ?1 AND notification_type = ?2 AND kind IN ('notification', 'transaction') AND sequence < ?3
            AND (?4 IS NULL OR result = ?4)
        ORDER BY sequence DESC LIMIT ?5
        """
    static let quarantined: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE ledger_id = ?1 AND result = 'quarantined' AND kind IN ('notification', 'transaction') AND sequence < ?2
        ORDER BY sequence DESC LIMIT ?3
        """
    static let accepted: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log WHERE ledger_id = ?1 AND kind IN ('notification', 'transaction') AND result = 'accepted' AND sequence < ?2
        ORDER BY sequence DESC LIMIT ?3
        """
}

extension SQLiteSession {
    func logEntry(identity: String) throws(StoreError) -> LogEntry? {
        let stored = try sqlite { try $0.first("log.byIdentity", SQL.byIdentity, identity) { try StoredEntry($0) } }
        guard let stored else { return nil }
        return try entry(stored)
    }

    func logEntry(sequence: Int64) throws(StoreError) -> LogEntry? {
        let stored = try sqlite { try $0.first("log.bySequence", SQL.bySequence, sequence) { try StoredEntry($0) } }
        guard let stored else { return nil }
        return try entry(stored)
    }

    func logEntries(_ query: LogQuery) throws(StoreError) -> Page<LogEntry> {
        let below = try query.page.number ?? .max
        let environments = query.environment.map { [$0] } ?? Environment.allCases
        var found: [StoredEntry] = []
        for environment in environments {
            guard let number = try number(of: Ledger(app: query.app, environment: environment)) else { continue }
            found += try listed(query, number, below: below)
        }
        found.sort { $0.entry.sequence > $1.entry.sequence }
        let page = Page(found, query.page) { "\($0.entry.sequence)" }
        var entries: [LogEntry] = []
        for stored in page.items { entries.append(try entry(stored)) }
        return Page(items: entries, nextCursor: page.nextCursor)
    }

    /// One ledger's share of a page and one entry more; each case walks an index backwards.
    private func listed(_ query: LogQuery, _ ledger: Int64, below: Int64) throws(StoreError) -> [StoredEntry] {
        let limit = query.page.rowsToRead
        return try sqlite { connection in
            switch (query.rawNotificationType, query.result) {
            case (let type?, let result):
                try connection.rows("log.listedByType", SQL.listedByType, ledger, type, below, result?.rawValue, limit) {
                    try StoredEntry($0)
                }
            case (nil, .quarantined):
                try connection.rows("log.quarantined", SQL.quarantined, ledger, below, limit) { try StoredEntry($0) }
            case (nil, .accepted):
                try connection.rows("log.accepted", SQL.accepted, ledger, below, limit) { try StoredEntry($0) }
            case (nil, nil):
                try connection.rows("log.listed", SQL.listed, ledger, below, limit) { try StoredEntry($0) }
            }
        }
    }

    /// The entries behind a sequence, oldest first, of all kinds and ledgers.
    func logEntries(after sequence: Int64, limit: Int) throws(StoreError) -> [LogEntry] {
        let found = try sqlite { try $0.rows("log.after", SQL.after, sequence, limit) { try StoredEntry($0) } }
        var entries: [LogEntry] = []
        entries.reserveCapacity(found.count)
        for stored in found { entries.append(try entry(stored)) }
        return entries
    }

    func entry(_ stored: StoredEntry) throws(StoreError) -> LogEntry {
        var entry = stored.entry
        entry.ledger = try ledger(stored.ledger)
        return entry
    }

    func append(_ entry: LogEntry) throws(StoreError) -> Int64? {
        let ledger = try numberForWriting(to: entry.ledger)
        return try sqlite { connection in
            let added = try connection.run(
                "log.append", SQL.append, entry.kind.rawValue, entry.identity, ledger, entry.result.rawValue, entry.reason,
                entry.source.rawValue, entry.rawNotificationType, entry.rawSubtype, entry.rawEnvironment, entry.transactionID,
                entry.signedDate, entry.receivedAt, entry.body, entry.place?.at, entry.place?.group)
            return added == 1 ? connection.lastInsertedRowID : nil
        }
    }
}

/// An entry as its row has it: the ledger is a number yet.
struct StoredEntry {
    var entry: LogEntry
    var ledger: Int64

    init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        let sequence = try row.int64(&column)
        let kind: LogEntry.Kind = try row.word(&column)
        let identity = try row.optionalText(&column)
        ledger = try row.int64(&column)
        let unknown = Ledger(app: AppID(""), environment: .production)
        entry = LogEntry(
            kind: kind, identity: identity, ledger: unknown, source: .live, receivedAt: Timestamp(milliseconds: 0), body: [])
        entry.sequence = sequence
        entry.result = try row.word(&column)
        entry.reason = try row.optionalText(&column)
        entry.source = try row.word(&column)
        entry.rawNotificationType = try row.optionalText(&column)
        entry.rawSubtype = try row.optionalText(&column)
        entry.rawEnvironment = try row.optionalText(&column)
        entry.transactionID = try row.optionalID(&column)
        entry.signedDate = try row.optionalTimestamp(&column)
        entry.receivedAt = try row.timestamp(&column)
        entry.body = try row.blob(&column)
        entry.reducedAt = try row.optionalTimestamp(&column)
    }
}
