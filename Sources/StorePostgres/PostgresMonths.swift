import Domain
import Postgres
import Store

private enum SQL {
    static let lock: StaticString = "SELECT pg_advisory_xact_lock($1)"
    // Nobody who writes or reads waits for longer than this behind one who waits for the lock.
    static let brief: StaticString = "SELECT set_config('lock_timeout', '500', true)"
    static let months: StaticString = """
        SELECT c.relname::text FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass('log_bodies')
        """
    static let isEmpty: StaticString = """
        SELECT NOT EXISTS (SELECT 1 FROM log_bodies WHERE received_at_ms >= $1 AND received_at_ms < $2)
        """
}

/// Makes and drops months on a connection and a queue of its own, so that looking for what is empty holds up no writer.
actor MonthKeeper {
    private let executor = SerialQueueExecutor(label: "store.months")
    private let target: Target

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: Target) { self.target = target }

    /// - Returns: One line for each thing done.
    func tidy(at now: Timestamp) throws(StoreError) -> [String] {
        let session = PostgresSession(target)
        let made = try session.makeMonths(from: now).map { "\($0) made" }
        return try made + session.dropEmptyMonths(at: now).map { "\($0) dropped: it held nothing any more" }
    }
}

extension PostgresSession {
    /// How many months are there ahead of time, the running one included.
    private static let monthsAhead = 3
    /// How long after its end a month may still be written to, by clocks that are late.
    private static let grace = Span.days(2)

    /// Makes the months to come, as far as they are not there. What stood in the rest for want of them moves.
    ///
    /// Attaching a month locks the rest against everybody, and nothing else; where a long reading is in the way this fails soon, and nothing
    /// is lost: what has no month is kept in the rest.
    ///
    /// - Returns: The names of those made.
    func makeMonths(from now: Timestamp) throws(StoreError) -> [String] {
        let wanted = Array(sequence(first: BodyMonth(of: now), next: \.next).prefix(PostgresSession.monthsAhead))
        let known = try ownTransaction("months.list", .read) { try months() }
        guard !wanted.allSatisfy(known.contains) else { return [] }
        return try alteringMonths {
            let known = try months()
            let missing = wanted.filter { !known.contains($0) }
            for month in missing { try make(month) }
            return missing.map(\.name)
        }
    }

    /// Drops months that are over and hold nothing: all they held was reduced or rewritten, and that stands in `log`.
    ///
    /// - Returns: The names of those dropped.
    func dropEmptyMonths(at now: Timestamp) throws(StoreError) -> [String] {
        var dropped: [String] = []
        let over = try ownTransaction("months.list", .read) {
            try months().filter { month in try month.end + PostgresSession.grace < now && isEmpty(month) }
        }
        for month in over {
            let isDropped = try alteringMonths {
                // Whatever a late clock writes there it writes now or never.
                try postgres { try $0.executeScript("months.hold", "LOCK TABLE \(month.name) IN EXCLUSIVE MODE") }
                guard try isEmpty(month) else { return false }
                try postgres { try $0.executeScript("months.drop", "DROP TABLE \(month.name)") }
                return true
            }
            if isDropped { dropped.append(month.name) }
        }
        return dropped
    }

    private func alteringMonths<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        try ownTransaction("months.alter") {
            try postgres { connection in
                try connection.queue("months.brief", SQL.brief)
                try connection.run("months.lock", SQL.lock, AdvisoryKey.months.number)
            }
            return try body()
        }
    }

    private func months() throws(StoreError) -> [BodyMonth] {
        let names = try postgres { try $0.rows("months.list", SQL.months) { try $0.text(0) } }
        return names.compactMap(BodyMonth.init(name:)).sorted { $0.start < $1.start }
    }

    private func make(_ month: BodyMonth) throws(StoreError) {
        let (name, from, to) = (month.name, month.start.milliseconds, month.end.milliseconds)
        // With the condition in place the new part need not be searched when it is attached.
        try postgres { connection in
            try connection.executeScript(
                "months.make",
                """
                LOCK TABLE log_bodies_rest IN ACCESS EXCLUSIVE MODE;
                CREATE TABLE \(name) (
                    LIKE log_bodies INCLUDING ALL, CONSTRAINT is_of_month CHECK (received_at_ms >= \(from) AND received_at_ms < \(to)));
                WITH moved AS (DELETE FROM log_bodies_rest WHERE received_at_ms >= \(from) AND received_at_ms < \(to) RETURNING *)
                INSERT INTO \(name) SELECT * FROM moved;
                ALTER TABLE log_bodies ATTACH PARTITION \(name) FOR VALUES FROM (\(from)) TO (\(to));
                ALTER TABLE \(name) DROP CONSTRAINT is_of_month;
                """)
        }
    }

    private func isEmpty(_ month: BodyMonth) throws(StoreError) -> Bool {
        try postgres { try $0.first("months.isEmpty", SQL.isEmpty, month.start, month.end) { try $0.bool(0) } } ?? false
    }
}
