import Domain
import SQLite
import Store

private enum SQL {
    // The condition is written as in the partial index, so that SQLite takes it.
    static let whole: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms
        FROM log AS log
        WHERE reduced_at_ms IS NULL AND kind IN ('notification', 'transaction', 'status') AND ledger_id = ?1 AND received_at_ms < ?2
            AND NOT EXISTS (
                SELECT 1 FROM outbox
                WHERE outbox.kind = 'forward' AND outbox.ledger_id = log.ledger_id AND subject = identity AND state = 'pending')
        ORDER BY received_at_ms, sequence LIMIT ?3
        """
    static let usageBehind: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms, used_at_ms, usage_group
        FROM log
        WHERE kind = 'usage' AND reason IS NULL AND ledger_id = ?1 AND (used_at_ms, usage_group) > (?2, ?3) AND used_at_ms < ?4
        ORDER BY used_at_ms, usage_group, sequence LIMIT ?5
        """
    static let usageAt: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms, used_at_ms, usage_group
        FROM log WHERE kind = 'usage' AND reason IS NULL AND ledger_id = ?1 AND used_at_ms = ?2 AND usage_group = ?3
        ORDER BY sequence LIMIT ?4
        """
    static let usageUnplaced: StaticString = """
        SELECT sequence, kind, identity, ledger_id, result, reason, source, notification_type, subtype, claimed_environment,
            transaction_id, signed_at_ms, received_at_ms, body, reduced_at_ms, used_at_ms, usage_group
        FROM log WHERE kind = 'usage' AND reason IS NULL AND ledger_id = ?1 AND used_at_ms IS NULL
        ORDER BY sequence LIMIT ?2
        """
    static let removedOf: StaticString = """
        SELECT before_ms FROM usage_removed WHERE ledger_id = ?1 AND subject_kind = ?2 AND subject = ?3
        """
    static let removedOfCustomer: StaticString = """
        SELECT max(before_ms) FROM aliases a
        JOIN usage_removed r ON r.ledger_id = a.ledger_id AND r.subject_kind = 'customer' AND r.subject = a.value
        WHERE a.customer_id = ?1
        """
    static let reduce: StaticString = "UPDATE log SET body = ?2, reduced_at_ms = ?3 WHERE sequence = ?1"
    static let setPlace: StaticString = "UPDATE log SET used_at_ms = ?2, usage_group = ?3 WHERE sequence = ?1"
    static let dropEntry: StaticString = "DELETE FROM log WHERE sequence = ?1"
    static let dropInstant: StaticString = """
        DELETE FROM usage_sums
        WHERE ledger_id = ?1 AND subject_kind = ?2 AND subject = ?3 AND meter = ?4 AND span_ms = 1 AND start_ms = ?5
        """
    static let subtract: StaticString = """
        UPDATE usage_sums SET millionths = CAST(millionths - ?7 AS INTEGER)
        WHERE ledger_id = ?1 AND subject_kind = ?2 AND subject = ?3 AND meter = ?4 AND span_ms = ?5 AND start_ms = ?6
        """
    // A sum goes with the last event in it, which is when no finer sum is left; it may be zero before.
    static let dropSum: StaticString = """
        DELETE FROM usage_sums
        WHERE ledger_id = ?1 AND subject_kind = ?2 AND subject = ?3 AND meter = ?4 AND span_ms = ?5 AND start_ms = ?6
            AND NOT EXISTS (
                SELECT 1 FROM usage_sums f
                WHERE f.ledger_id = ?1 AND f.subject_kind = ?2 AND f.subject = ?3 AND f.meter = ?4 AND f.span_ms = ?7
                    AND f.start_ms >= ?6 AND f.start_ms < ?6 + ?5)
        """
    static let note: StaticString = """
        INSERT INTO usage_removed (ledger_id, subject_kind, subject, before_ms) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (ledger_id, subject_kind, subject) DO UPDATE SET before_ms = max(usage_removed.before_ms, excluded.before_ms)
        """
    static let ended: StaticString = """
        SELECT id FROM outbox WHERE state = 'done' AND kind <> 'alert' AND ended_at_ms < ?1 ORDER BY ended_at_ms, id LIMIT ?2
        """
    static let dropAttempts: StaticString = "DELETE FROM delivery_attempts WHERE outbox_id = ?1"
    static let dropRow: StaticString = "DELETE FROM outbox WHERE id = ?1"
}

extension SQLiteSession {
    func wholeEntries(in ledger: Ledger, before instant: Timestamp, limit: Int) throws(StoreError) -> [LogEntry] {
        guard let number = try number(of: ledger) else { return [] }
        let found = try sqlite { try $0.rows("retention.whole", SQL.whole, number, instant, limit) { try StoredEntry($0) } }
        var entries: [LogEntry] = []
        for stored in found { entries.append(try entry(stored)) }
        return entries
    }

    func usageEntries(in ledger: Ledger, _ span: UsageSpan, limit: Int) throws(StoreError) -> [LogEntry] {
        guard let number = try number(of: ledger) else { return [] }
        let found = try sqlite { connection in
            switch span {
            case .behind(let place, let end):
                // No event lies behind the first place there is and not at it.
                let (at, group) = (place?.at ?? Timestamp(milliseconds: .min), place?.group ?? .min)
                return try connection.rows("retention.usage", SQL.usageBehind, number, at, group, end, limit) {
                    try StoredEntry(placed: $0)
                }
            case .at(let place):
                return try connection.rows("retention.usageAt", SQL.usageAt, number, place.at, place.group, limit) {
                    try StoredEntry(placed: $0)
                }
            case .unplaced:
                return try connection.rows("retention.unplaced", SQL.usageUnplaced, number, limit) { try StoredEntry(placed: $0) }
            }
        }
        var entries: [LogEntry] = []
        for stored in found { entries.append(try entry(stored)) }
        return entries
    }

    func usageRemoved(of subject: UsageFact.Subject, in ledger: Ledger) throws(StoreError) -> Timestamp? {
        guard let number = try number(of: ledger) else { return nil }
        return try sqlite {
            try $0.first("retention.removedOf", SQL.removedOf, number, subject.kind, subject.text) {
                Timestamp(milliseconds: try $0.int64(0))
            }
        }
    }

    func usageRemoved(of customer: CustomerID) throws(StoreError) -> Timestamp? {
        let found = try sqlite { try $0.first("retention.removed", SQL.removedOfCustomer, customer.rawValue) { try $0.optionalInt64(0) } }
        return (found ?? nil).map(Timestamp.init(milliseconds:))
    }

    func reduce(_ sequence: Int64, receivedAt: Timestamp, to body: [UInt8], at now: Timestamp) throws(StoreError) {
        try sqlite { connection in
            try connection.run("retention.reduce", SQL.reduce, sequence, body, now)
        }
    }

    func setPlace(_ place: UsagePlace, ofEntry sequence: Int64) throws(StoreError) {
        try sqlite { try $0.run("retention.setPlace", SQL.setPlace, sequence, place.at, place.group) }
    }

    func removeUsage(_ events: [(sequence: Int64, fact: UsageFact)], in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            for event in events { try connection.run("retention.dropEntry", SQL.dropEntry, event.sequence) }
            for slice in Set(events.map { UsageSlice($0.fact, in: .instant) }) {
                try connection.run(
                    "retention.dropInstant", SQL.dropInstant, ledger, slice.subject.kind, slice.subject.text, slice.meter, slice.at)
            }
            for (resolution, finer) in [(UsageResolution.minute, UsageResolution.instant), (.day, .minute)] {
                for (slice, sum) in UsageSlice.sums(of: events.map(\.fact), in: resolution) {
                    try connection.run(
                        "retention.subtract", SQL.subtract, ledger, slice.subject.kind, slice.subject.text, slice.meter,
                        resolution.rawValue, slice.at, sum)
                    try connection.run(
                        "retention.dropSum", SQL.dropSum, ledger, slice.subject.kind, slice.subject.text, slice.meter,
                        resolution.rawValue, slice.at, finer.rawValue)
                }
            }
        }
    }

    func noteUsageRemoved(of subject: UsageFact.Subject, before instant: Timestamp, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { try $0.run("retention.note", SQL.note, ledger, subject.kind, subject.text, instant) }
    }

    func purgeOutbox(endedBefore instant: Timestamp, limit: Int) throws(StoreError) -> Int {
        try sqlite { connection in
            let ids = try connection.rows("retention.ended", SQL.ended, instant, limit) { try $0.int64(0) }
            for id in ids {
                try connection.run("retention.dropAttempts", SQL.dropAttempts, id)
                try connection.run("retention.dropRow", SQL.dropRow, id)
            }
            return ids.count
        }
    }
}

extension StoredEntry {
    /// With the place of a usage entry behind the rest.
    fileprivate init(placed row: borrowing Row) throws(SQLiteError) {
        try self.init(row)
        var column = 15
        if let at = try row.optionalTimestamp(&column), let group = try row.optionalInt64(&column) {
            entry.place = UsagePlace(at: at, group: group)
        }
    }
}
