import Domain
import Postgres
import Store

private enum SQL {
    static let lock: StaticString = "SELECT pg_advisory_xact_lock($1)"
    static let newest: StaticString = """
        SELECT position, log_sequence, actor, salt, content_sha256, sha256 FROM audit ORDER BY position DESC LIMIT 1
        """
    static let ofEntry: StaticString = """
        SELECT position, log_sequence, actor, salt, content_sha256, sha256 FROM audit WHERE log_sequence = $1
        """
    static let after: StaticString = """
        SELECT position, log_sequence, actor, salt, content_sha256, sha256 FROM audit WHERE position > $1 ORDER BY position LIMIT $2
        """
    static let trail: StaticString = """
        SELECT position, log_sequence, actor, salt, content_sha256, sha256 FROM audit
        WHERE ledger_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3
        """
    static let unsealed: StaticString = """
        SELECT count(*) FROM log
        WHERE sequence > (SELECT min(log_sequence) FROM audit)
            AND kind IN ('consent', 'delivery', 'userLink', 'preference', 'tags', 'outages', 'decision', 'answer', 'attempt', 'act')
            AND NOT EXISTS (SELECT 1 FROM audit WHERE log_sequence = sequence)
        """
    static let put: StaticString = """
        INSERT INTO audit (position, log_sequence, ledger_id, actor, salt, content_sha256, sha256)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """
}

extension PostgresSession {
    func newestSeal() throws(StoreError) -> AuditSeal? {
        try appendPendingSeals()
        return try postgres { try $0.first("audit.newest", SQL.newest) { try AuditSeal($0) } }
    }

    func append(in ledger: Ledger, _ link: @escaping @Sendable (AuditSeal?) -> AuditSeal) throws(StoreError) {
        pendingSeals.append((ledger, link))
    }

    /// Adds the links that wait, in one go: the chain is locked from here to the end of the transaction.
    func appendPendingSeals() throws(StoreError) {
        guard !pendingSeals.isEmpty else { return }
        let waiting = pendingSeals
        pendingSeals = []
        try postgres { try $0.queue("audit.lock", SQL.lock, AdvisoryKey.audit.number) }
        var newest = try newestSeal()
        for (ledger, link) in waiting {
            let seal = link(newest)
            try put(seal, in: ledger)
            newest = seal
        }
    }

    func seal(ofEntry sequence: Int64) throws(StoreError) -> AuditSeal? {
        try appendPendingSeals()
        return try postgres { try $0.first("audit.ofEntry", SQL.ofEntry, sequence) { try AuditSeal($0) } }
    }

    func auditTrail(in ledgers: [Ledger], page: PageRequest) throws(StoreError) -> Page<SealedEntry> {
        let below = try page.number ?? .max
        var found: [AuditSeal] = []
        for ledger in ledgers {
            guard let number = try number(of: ledger) else { continue }
            found += try postgres { try $0.rows("audit.trail", SQL.trail, number, below, page.rowsToRead) { try AuditSeal($0) } }
        }
        found.sort { $0.position > $1.position }
        let kept = Page(found, page) { "\($0.position)" }
        var entries: [SealedEntry] = []
        for seal in kept.items {
            if let entry = try logEntry(sequence: seal.entry) { entries.append(SealedEntry(seal: seal, entry: entry)) }
        }
        return Page(items: entries, nextCursor: kept.nextCursor)
    }

    func seals(after position: Int64, limit: Int) throws(StoreError) -> [(seal: AuditSeal, entry: LogEntry?)] {
        try appendPendingSeals()
        let found = try postgres { try $0.rows("audit.after", SQL.after, position, limit) { try AuditSeal($0) } }
        var entries: [(seal: AuditSeal, entry: LogEntry?)] = []
        for seal in found { entries.append((seal: seal, entry: try logEntry(sequence: seal.entry))) }
        return entries
    }

    func unsealedEntryCount() throws(StoreError) -> Int64 {
        try postgres { try $0.first("audit.unsealed", SQL.unsealed) { try $0.int64(0) } } ?? 0
    }

    func put(_ seal: AuditSeal, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue(
                "audit.put", SQL.put, seal.position, seal.entry, ledger, seal.actor, seal.salt, seal.contentSHA256, seal.sha256)
        }
    }
}

extension AuditSeal {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(
            position: try row.int64(&column), entry: try row.int64(&column), actor: try row.optionalText(&column),
            salt: try row.optionalBlob(&column), contentSHA256: try row.blob(&column), sha256: try row.blob(&column))
    }
}
