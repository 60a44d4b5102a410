import Domain
import SQLite
import Store

private enum SQL {
    static let decisions: StaticString = """
        SELECT transaction_id, anchor, at_ms, decision FROM decisions WHERE ledger_id = ?1 AND transaction_id = ?2 ORDER BY sequence
        """
    static let judged: StaticString = """
        SELECT transaction_id, anchor, at_ms, decision, basis, sequence FROM decisions
        WHERE ledger_id = ?1 AND sequence > ?2 AND at_ms >= ?3 AND basis IS NOT NULL ORDER BY sequence LIMIT ?4
        """
    static let judgedNewest: StaticString = """
        SELECT transaction_id, anchor, at_ms, decision, basis FROM decisions
        WHERE ledger_id = ?1 AND basis IS NOT NULL ORDER BY at_ms DESC, sequence DESC LIMIT ?2
        """
    static let putDecision: StaticString = """
        REPLACE INTO decisions (sequence, ledger_id, transaction_id, anchor, at_ms, decision, basis) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """
    static let answers: StaticString = """
        SELECT transaction_id, anchor, status, body, is_in_doubt, at_ms, percentage_source FROM answers
        WHERE ledger_id = ?1 AND transaction_id = ?2 ORDER BY at_ms, anchor
        """
    static let putAnswer: StaticString = """
        REPLACE INTO answers (ledger_id, transaction_id, anchor, status, body, is_in_doubt, at_ms, percentage_source)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    static let attempts: StaticString = """
        SELECT transaction_id, anchor, at_ms, http_status, error_code, error FROM attempts
        WHERE ledger_id = ?1 AND transaction_id = ?2 ORDER BY sequence
        """
    static let putAttempt: StaticString = """
        REPLACE INTO attempts (sequence, ledger_id, transaction_id, anchor, at_ms, http_status, error_code, error)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
}

extension SQLiteSession {
    func decisions(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [DecisionRecord] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("decisions.of", SQL.decisions, ledger, id) { try DecisionRecord($0) } }
    }

    func answers(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [AnswerRecord] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("answers.of", SQL.answers, ledger, id) { try AnswerRecord($0) } }
    }

    func attempts(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [AttemptRecord] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("attempts.of", SQL.attempts, ledger, id) { try AttemptRecord($0) } }
    }

    func judgedDecisions(in ledger: Ledger, since: Timestamp, page: PageRequest) throws(StoreError) -> Page<DecisionRecord> {
        let after = try page.number ?? 0
        guard let ledger = try number(of: ledger) else { return Page(items: [], nextCursor: nil) }
        let found = try sqlite {
            try $0.rows("decisions.judged", SQL.judged, ledger, after, since, page.rowsToRead) { row in
                guard let basis: DecisionBasis = JSONText.decode(try row.text(4)) else { throw row.mismatch(4, "a decision's basis") }
                var record = try DecisionRecord(row)
                record.basis = basis
                return (record: record, sequence: try row.int64(5))
            }
        }
        let kept = Page(found, page) { "\($0.sequence)" }
        return Page(items: kept.items.map(\.record), nextCursor: kept.nextCursor)
    }

    func judgedDecisions(in ledger: Ledger, newest count: Int) throws(StoreError) -> [DecisionRecord] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite {
            try $0.rows("decisions.judgedNewest", SQL.judgedNewest, ledger, Int64(count)) { row in
                guard let basis: DecisionBasis = JSONText.decode(try row.text(4)) else { throw row.mismatch(4, "a decision's basis") }
                var record = try DecisionRecord(row)
                record.basis = basis
                return record
            }
        }
    }

    func put(_ record: DecisionRecord, sequence: Int64, in ledger: Ledger) throws(StoreError) {
        noteCase(record.transactionID, in: ledger)
        let ledger = try numberForWriting(to: ledger)
        let decision = try JSONText.encode(record.decision, "decisions.put")
        let basis = try record.basis.map { basis throws(StoreError) in try JSONText.encode(basis, "decisions.put") }
        try sqlite { connection in
            try connection.run(
                "decisions.put", SQL.putDecision, sequence, ledger, record.transactionID, record.anchor, record.at, decision, basis)
        }
    }

    func put(_ record: AnswerRecord, in ledger: Ledger) throws(StoreError) {
        noteCase(record.transactionID, in: ledger)
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run(
                "answers.put", SQL.putAnswer, ledger, record.transactionID, record.anchor, record.status.rawValue, record.body,
                record.isInDoubt, record.at, record.percentageSource?.rawValue)
        }
    }

    func put(_ record: AttemptRecord, sequence: Int64, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run(
                "attempts.put", SQL.putAttempt, sequence, ledger, record.transactionID, record.anchor, record.at, record.httpStatus,
                record.errorCode, record.error)
        }
    }
}

extension DecisionRecord {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        guard let decision: Decision = JSONText.decode(try row.text(3)) else { throw row.mismatch(3, "a decision") }
        var column = 0
        self.init(transactionID: try row.id(&column), anchor: try row.id(&column), at: try row.timestamp(&column), decision: decision)
    }
}

extension AnswerRecord {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        self.init(
            transactionID: try row.id(&column), anchor: try row.id(&column), status: try row.word(&column),
            body: try row.optionalText(&column), isInDoubt: try row.bool(&column), at: try row.timestamp(&column),
            percentageSource: try row.optionalText(&column).flatMap(Consumed.Source.init))
    }
}

extension AttemptRecord {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        self.init(
            transactionID: try row.id(&column), anchor: try row.id(&column), at: try row.timestamp(&column),
            httpStatus: try row.optionalInt32(&column), errorCode: try row.optionalInt64(&column), error: try row.optionalText(&column))
    }
}
