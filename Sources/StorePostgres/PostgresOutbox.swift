import Domain
import Postgres
import Store

private enum SQL {
    static let nextDue: StaticString = """
        SELECT due_at_ms FROM outbox WHERE state = 'pending' AND lane = $1 ORDER BY due_at_ms, id LIMIT 1
        """
    static let find: StaticString = """
        SELECT id, kind, ledger_id, subject, key, due_at_ms, attempt, payload, state, created_at_ms
        FROM outbox WHERE kind = $1 AND ledger_id = $2 AND subject = $3 AND key = $4
        """
    static let depth: StaticString = "SELECT kind, count(*) FROM outbox WHERE state = 'pending' GROUP BY kind"
    // What another process is claiming at this moment is passed over.
    static let due: StaticString = """
        SELECT id, due_at_ms FROM outbox WHERE state = 'pending' AND lane = $1 AND due_at_ms <= $2 ORDER BY due_at_ms, id LIMIT $3
        FOR UPDATE SKIP LOCKED
        """
    static let lease: StaticString = """
        UPDATE outbox SET attempt = attempt + 1, due_at_ms = $2, is_leased = 1 WHERE id = ANY ($1)
        RETURNING id, kind, ledger_id, subject, key, due_at_ms, attempt, payload, state, created_at_ms
        """
    // A lease is not broken: whoever holds the row says what is next.
    static let enqueue: StaticString = """
        INSERT INTO outbox (kind, ledger_id, subject, key, due_at_ms, payload, state, created_at_ms, lane)
        VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $8)
        ON CONFLICT (kind, ledger_id, subject, key) DO UPDATE SET due_at_ms = excluded.due_at_ms
        WHERE outbox.state = 'pending' AND outbox.is_leased = 0 AND excluded.due_at_ms < outbox.due_at_ms
        """
    static let release: StaticString = "UPDATE outbox SET due_at_ms = $1, is_leased = 0 WHERE state = 'pending' AND is_leased = 1"
    static let touch: StaticString = "SELECT txid_current()"
    static let hasten: StaticString = """
        UPDATE outbox SET due_at_ms = $2, is_leased = 0
        WHERE state = 'pending' AND due_at_ms > $1 AND kind IN ('answer', 'webhook', 'forward', 'alert')
        """
    static let finish: StaticString = "UPDATE outbox SET state = $2, ended_at_ms = $3, is_leased = 0 WHERE id = $1"
    static let reschedule: StaticString = """
        UPDATE outbox SET state = 'pending', due_at_ms = $2, ended_at_ms = NULL, is_leased = 0 WHERE id = $1
        """
    static let revive: StaticString = """
        UPDATE outbox SET state = 'pending', attempt = 0, due_at_ms = $2, created_at_ms = $2, ended_at_ms = NULL, is_leased = 0
        WHERE id = $1 AND state = 'dead'
        """
    static let cancel: StaticString = """
        UPDATE outbox SET state = 'done', ended_at_ms = $4, is_leased = 0
        WHERE kind = $1 AND ledger_id = $2 AND subject = $3 AND state = 'pending' AND is_leased = 0
        """
}

extension PostgresSession {
    func nextDue(in lanes: [OutboxRow.Lane]) throws(StoreError) -> Timestamp? {
        var next: Timestamp?
        for lane in lanes {
            let due = try postgres {
                try $0.first("outbox.nextDue", SQL.nextDue, lane.rawValue) { Timestamp(milliseconds: try $0.int64(0)) }
            }
            if let due { next = next.map { min($0, due) } ?? due }
        }
        return next
    }

    func outboxRow(_ kind: OutboxRow.Kind, subject: String, key: String, in ledger: Ledger) throws(StoreError) -> OutboxRow? {
        guard let number = try number(of: ledger) else { return nil }
        return try postgres {
            try $0.first("outbox.find", SQL.find, kind.rawValue, number, subject, key) { try OutboxRow($0, in: ledger) }
        }
    }

    func outboxDepth() throws(StoreError) -> [OutboxRow.Kind: Int64] {
        let counts = try postgres {
            try $0.rows("outbox.depth", SQL.depth) { row in
                var column = 0
                let kind: OutboxRow.Kind = try row.word(&column)
                return (kind, try row.int64(&column))
            }
        }
        return Dictionary(counts) { first, _ in first }
    }

    func enqueue(_ row: OutboxRow) throws(StoreError) {
        let ledger = try numberForWriting(to: row.ledger)
        try postgres { connection in
            try connection.queue(
                "outbox.enqueue", SQL.enqueue, row.kind.rawValue, ledger, row.subject, row.key, row.dueAt, row.payload, row.createdAt,
                row.lane.rawValue)
        }
        hasScheduled = true
    }

    func claim(in lanes: [OutboxRow.Lane], limit: Int, at now: Timestamp, leaseUntil: Timestamp) throws(StoreError) -> [OutboxRow] {
        var due: [(id: Int64, dueAt: Int64)] = []
        for lane in Set(lanes) {
            due += try postgres {
                try $0.rows("outbox.due", SQL.due, lane.rawValue, now, max(limit, 0)) { (id: try $0.int64(0), dueAt: try $0.int64(1)) }
            }
        }
        due.sort { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }
        let chosen = due.prefix(max(limit, 0)).map(\.id)
        guard !chosen.isEmpty else { return [] }
        let leased = try lease(chosen, until: leaseUntil)
        return chosen.compactMap { leased[$0] }
    }

    private func lease(_ ids: [Int64], until end: Timestamp) throws(StoreError) -> [Int64: OutboxRow] {
        let leased = try postgres {
            try $0.rows("outbox.lease", SQL.lease, Value.integers(ids), end) { row in
                // The ledger's column, read ahead: its number is looked up once the statement is done.
                (ledger: try row.int64(2), row: try OutboxRow(row, in: Ledger(app: AppID(""), environment: .production)))
            }
        }
        var rows: [Int64: OutboxRow] = [:]
        for var each in leased {
            each.row.ledger = try ledger(each.ledger)
            rows[each.row.id] = each.row
        }
        return rows
    }

    /// For one that knows that no other process is there; a desk on PostgreSQL never does.
    func releaseLeases(at now: Timestamp) throws(StoreError) -> Int {
        let count = try postgres { try $0.run("outbox.release", SQL.release, now) }
        if count > 0 { hasScheduled = true }
        return count
    }

    /// A transaction with a number of its own ends with a record in the write-ahead log, and is refused by a server that only reads.
    func touchDisk() throws(StoreError) { try postgres { _ = try $0.first("store.touch", SQL.touch) { try $0.int64(0) } } }

    func hasten(after latest: Timestamp, at now: Timestamp) throws(StoreError) -> Int {
        let count = try postgres { try $0.run("outbox.hasten", SQL.hasten, latest, now) }
        if count > 0 { hasScheduled = true }
        return count
    }

    func finish(_ id: Int64, state: OutboxRow.State, at now: Timestamp) throws(StoreError) {
        try postgres { connection in
            try connection.queue("outbox.finish", SQL.finish, id, state.rawValue, now)
        }
    }

    func reschedule(_ id: Int64, at due: Timestamp) throws(StoreError) {
        try postgres { connection in
            try connection.queue("outbox.reschedule", SQL.reschedule, id, due)
        }
        hasScheduled = true
    }

    func revive(_ id: Int64, at now: Timestamp) throws(StoreError) {
        try postgres { connection in try connection.queue("outbox.revive", SQL.revive, id, now) }
        hasScheduled = true
    }

    func cancel(_ kind: OutboxRow.Kind, subject: String, in ledger: Ledger, at now: Timestamp) throws(StoreError) {
        guard let ledger = try number(of: ledger) else { return }
        try postgres { connection in
            try connection.queue("outbox.cancel", SQL.cancel, kind.rawValue, ledger, subject, now)
        }
    }
}

extension OutboxRow {
    init(_ row: borrowing Row, in ledger: Ledger) throws(PostgresError) {
        var column = 0
        let id = try row.int64(&column)
        let kind: Kind = try row.word(&column)
        _ = row.next(&column)
        self.init(
            kind: kind, ledger: ledger, subject: try row.text(&column), key: try row.text(&column), dueAt: try row.timestamp(&column),
            createdAt: Timestamp(milliseconds: 0))
        self.id = id
        attempt = try row.int32(&column)
        payload = try row.blob(&column)
        state = try row.word(&column)
        createdAt = try row.timestamp(&column)
    }
}
