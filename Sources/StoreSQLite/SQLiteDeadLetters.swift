import Domain
import SQLite
import Store

private enum SQL {
    static let subjects: StaticString = """
        SELECT subject FROM outbox WHERE state = 'pending' AND lane = ?1 AND ledger_id = ?2 ORDER BY due_at_ms, id LIMIT ?3
        """
    static let overdue: StaticString = """
        SELECT count(*) FROM (SELECT 1 FROM outbox WHERE state = 'pending' AND lane = ?1 AND due_at_ms <= ?2 LIMIT ?3) AS due
        """
    // `+` keeps SQLite from an index over all rows, done ones too: those that matter are few.
    static let dead: StaticString = """
        SELECT o.kind, count(*) FROM outbox o JOIN ledgers l ON l.id = o.ledger_id
        WHERE o.state = 'dead' AND (?1 IS NULL OR l.app = ?1) GROUP BY +o.kind
        """
    // Two literals for the state, so that each finds its partial index.
    static let deadPage: StaticString = """
        SELECT o.id, o.kind, o.ledger_id, o.subject, o.key, o.due_at_ms, o.attempt, o.payload, o.state, o.created_at_ms,
            l.app, l.environment
        FROM outbox o JOIN ledgers l ON l.id = o.ledger_id
        WHERE o.state = 'dead' AND l.app = ?1 AND (?2 IS NULL OR l.environment = ?2) AND (?3 IS NULL OR o.kind = ?3) AND o.id < ?4
        ORDER BY o.id DESC LIMIT ?5
        """
    static let pendingPage: StaticString = """
        SELECT o.id, o.kind, o.ledger_id, o.subject, o.key, o.due_at_ms, o.attempt, o.payload, o.state, o.created_at_ms,
            l.app, l.environment
        FROM outbox o JOIN ledgers l ON l.id = o.ledger_id
        WHERE o.state = 'pending' AND l.app = ?1 AND (?2 IS NULL OR l.environment = ?2) AND (?3 IS NULL OR o.kind = ?3) AND +o.id < ?4
        ORDER BY +o.id DESC LIMIT ?5
        """
    static let find: StaticString = """
        SELECT o.id, o.kind, o.ledger_id, o.subject, o.key, o.due_at_ms, o.attempt, o.payload, o.state, o.created_at_ms,
            l.app, l.environment
        FROM outbox o JOIN ledgers l ON l.id = o.ledger_id WHERE o.id = ?1
        """
}

extension SQLiteSession {
    func pendingSubjects(in lane: OutboxRow.Lane, of ledger: Ledger, limit: Int) throws(StoreError) -> [String] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("outbox.subjects", SQL.subjects, lane.rawValue, ledger, Int64(limit)) { try $0.text(0) } }
    }

    func overdueCount(in lane: OutboxRow.Lane, at now: Timestamp, limit: Int) throws(StoreError) -> Int {
        try sqlite { try $0.first("outbox.overdue", SQL.overdue, lane.rawValue, now, Int64(limit)) { try Int($0.int64(0)) } } ?? 0
    }

    func outboxDead(of app: AppID?) throws(StoreError) -> [OutboxRow.Kind: Int64] {
        let counts = try sqlite {
            try $0.rows("outbox.dead", SQL.dead, app?.rawValue) { row in
                var column = 0
                let kind: OutboxRow.Kind = try row.word(&column)
                return (kind, try row.int64(&column))
            }
        }
        return Dictionary(counts) { first, _ in first }
    }

    func outboxEntries(_ query: OutboxQuery) throws(StoreError) -> Page<EventDelivery> {
        let below = try query.page.number ?? .max
        let sql = query.state == .pending ? SQL.pendingPage : SQL.deadPage
        let rows = try sqlite {
            try $0.rows(
                "outbox.page", sql, query.app.rawValue, query.environment?.rawValue, query.kind?.rawValue, below, query.page.rowsToRead
            ) { try OutboxRow(listed: $0) }
        }
        let found = Page(rows, query.page) { "\($0.id)" }
        var items: [EventDelivery] = []
        for row in found.items { items.append(EventDelivery(row: row, attempts: try attempts(at: row.id))) }
        return Page(items: items, nextCursor: found.nextCursor)
    }

    func outboxEntry(id: Int64) throws(StoreError) -> EventDelivery? {
        guard let row = try sqlite({ try $0.first("outbox.entry", SQL.find, id) { try OutboxRow(listed: $0) } }) else { return nil }
        return EventDelivery(row: row, attempts: try attempts(at: id))
    }
}
