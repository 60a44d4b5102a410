import Domain
import Postgres
import Store

private enum SQL {
    static let toldAt: StaticString = "SELECT told_at_ms FROM customers WHERE id = $1"
    static let setTold: StaticString = "UPDATE customers SET told_at_ms = $2 WHERE id = $1"
    static let nextSequence: StaticString = """
        UPDATE customers SET event_sequence = event_sequence + 1 WHERE id = $1 RETURNING event_sequence
        """
    static let addAttempt: StaticString = "INSERT INTO delivery_attempts (outbox_id, at_ms, http_status, error) VALUES ($1, $2, $3, $4)"
    static let attempts: StaticString = """
        SELECT outbox_id, at_ms, http_status, error FROM delivery_attempts WHERE outbox_id = $1 ORDER BY id
        """
    static let page: StaticString = """
        SELECT o.id, o.kind, o.ledger_id, o.subject, o.key, o.due_at_ms, o.attempt, o.payload, o.state, o.created_at_ms,
            l.app, l.environment
        FROM outbox o JOIN ledgers l ON l.id = o.ledger_id
        WHERE o.kind = 'webhook' AND l.app = $1 AND ($2::text IS NULL OR l.environment = $2) AND o.id < $3
        ORDER BY o.id DESC LIMIT $4
        """
    static let find: StaticString = """
        SELECT o.id, o.kind, o.ledger_id, o.subject, o.key, o.due_at_ms, o.attempt, o.payload, o.state, o.created_at_ms,
            l.app, l.environment
        FROM outbox o JOIN ledgers l ON l.id = o.ledger_id WHERE o.kind = 'webhook' AND o.id = $1
        """
}

extension PostgresSession {
    func toldAt(_ customer: CustomerID) throws(StoreError) -> Timestamp? {
        try postgres {
            try $0.first("events.toldAt", SQL.toldAt, customer.rawValue) { row in
                try row.optionalInt64(0).map { Timestamp(milliseconds: $0) }
            } ?? nil
        }
    }

    func setTold(_ customer: CustomerID, at instant: Timestamp) throws(StoreError) {
        try postgres { try $0.queue("events.setTold", SQL.setTold, customer.rawValue, instant) }
    }

    func nextSequence(of customer: CustomerID) throws(StoreError) -> Int64 {
        let next = try postgres { try $0.first("events.nextSequence", SQL.nextSequence, customer.rawValue) { try $0.int64(0) } }
        guard let next else {
            throw StoreError(code: .corrupt, operation: "events.nextSequence", detail: "the customer is not there: run replay")
        }
        return next
    }

    func put(_ attempt: DeliveryAttempt) throws(StoreError) {
        try postgres { connection in
            try connection.queue("events.addAttempt", SQL.addAttempt, attempt.outboxID, attempt.at, attempt.httpStatus, attempt.error)
        }
    }

    func eventDeliveries(of app: AppID, environment: Environment?, page: PageRequest) throws(StoreError) -> Page<EventDelivery> {
        let before = try page.number ?? .max
        let rows = try postgres {
            try $0.rows("events.page", SQL.page, app.rawValue, environment?.rawValue, before, page.rowsToRead) { try OutboxRow(listed: $0) }
        }
        let found = Page(rows, page) { "\($0.id)" }
        var items: [EventDelivery] = []
        for row in found.items { items.append(EventDelivery(row: row, attempts: try attempts(at: row.id))) }
        return Page(items: items, nextCursor: found.nextCursor)
    }

    func eventDelivery(id: Int64) throws(StoreError) -> EventDelivery? {
        guard let row = try postgres({ try $0.first("events.find", SQL.find, id) { try OutboxRow(listed: $0) } }) else { return nil }
        return EventDelivery(row: row, attempts: try attempts(at: id))
    }

    func attempts(at outboxID: Int64) throws(StoreError) -> [DeliveryAttempt] {
        try postgres {
            try $0.rows("events.attempts", SQL.attempts, outboxID) { row in
                DeliveryAttempt(
                    outboxID: try row.int64(0), at: Timestamp(milliseconds: try row.int64(1)), httpStatus: try row.optionalInt32(2),
                    error: try row.optionalText(3))
            }
        }
    }
}

extension OutboxRow {
    /// A row with the names of its ledger behind it.
    init(listed row: borrowing Row) throws {
        guard let environment = Environment(rawValue: try row.text(11)) else { throw row.mismatch(11, "an environment") }
        try self.init(row, in: Ledger(app: AppID(try row.text(10)), environment: environment))
    }
}
