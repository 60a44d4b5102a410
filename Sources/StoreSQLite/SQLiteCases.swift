import Domain
import SQLite
import Store

private enum SQL {
    static let events: StaticString = """
        SELECT kind, notification_uuid, signed_at_ms, reason, revoked_at_ms, revocation_reason, revocation_type, revocation_percentage,
            revoked_seats
        FROM case_events WHERE ledger_id = ?1 AND transaction_id = ?2
        """
    static let putEvent: StaticString = """
        INSERT INTO case_events (
            ledger_id, transaction_id, kind, notification_uuid, signed_at_ms, reason, revoked_at_ms, revocation_reason,
            revocation_type, revocation_percentage, revoked_seats
        ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT DO NOTHING
        """
    static let find: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        FROM cases WHERE ledger_id = ?1 AND transaction_id = ?2
        """
    static let listed: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        FROM cases WHERE ledger_id = ?1 AND (opened_at_ms, transaction_id) < (?2, ?3)
            AND (?4 IS NULL OR product_id = ?4) AND (?5 IS NULL OR reason = ?5)
        ORDER BY opened_at_ms DESC, transaction_id DESC LIMIT ?6
        """
    static let listedByState: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        FROM cases WHERE ledger_id = ?1 AND state = ?7 AND (opened_at_ms, transaction_id) < (?2, ?3)
            AND (?4 IS NULL OR product_id = ?4) AND (?5 IS NULL OR reason = ?5)
        ORDER BY opened_at_ms DESC, transaction_id DESC LIMIT ?6
        """
    static let ofCustomer: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        FROM aliases CROSS JOIN cases INDEXED BY cases_chain
            ON cases.ledger_id = aliases.ledger_id AND cases.original_transaction_id = aliases.value
        WHERE aliases.ledger_id = ?1 AND aliases.customer_id = ?7 AND aliases.kind = ?9 AND (opened_at_ms, transaction_id) < (?2, ?3)
            AND (?4 IS NULL OR product_id = ?4) AND (?5 IS NULL OR reason = ?5) AND (?8 IS NULL OR state = ?8)
        ORDER BY opened_at_ms DESC, transaction_id DESC LIMIT ?6
        """
    static let inWindow: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        FROM cases WHERE ledger_id = ?1 AND deadline_ms > ?2 ORDER BY deadline_ms, transaction_id
        """
    static let inWindowPage: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        FROM cases WHERE ledger_id = ?1 AND deadline_ms >= ?2 AND (deadline_ms, transaction_id) > (?2, ?3)
        ORDER BY deadline_ms, transaction_id LIMIT ?4
        """
    static let eventsOfCustomer: StaticString = """
        SELECT case_events.kind, notification_uuid, signed_at_ms, case_events.reason, revoked_at_ms, revocation_reason, revocation_type,
            revocation_percentage, revoked_seats, case_events.transaction_id
        FROM aliases CROSS JOIN cases INDEXED BY cases_chain
            ON cases.ledger_id = aliases.ledger_id AND cases.original_transaction_id = aliases.value
        CROSS JOIN case_events NOT INDEXED ON case_events.ledger_id = cases.ledger_id AND case_events.transaction_id = cases.transaction_id
        WHERE aliases.customer_id = ?1 AND aliases.kind = ?2
        """
    static let put: StaticString = """
        REPLACE INTO cases (
            ledger_id, transaction_id, original_transaction_id, product_id, state, reason, opened_at_ms, deadline_ms
        ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
}

extension SQLiteSession {
    func caseEvents(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [CaseEvent] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("caseEvents.of", SQL.events, ledger, id) { try CaseEvent($0) } }
    }

    func caseRow(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> CaseRow? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try sqlite { try $0.first("cases.find", SQL.find, ledger, id) { try CaseRow($0) } }
    }

    func cases(_ query: CaseQuery) throws(StoreError) -> Page<CaseRow> {
        let before = try CaseCursor(query.page)
        guard let ledger = try number(of: query.ledger) else { return Page(items: [], nextCursor: nil) }
        if let customer = query.customer {
            return Page(try ofCustomer(customer, query, ledger, before), query.page) { CaseCursor($0).text }
        }
        return Page(try listed(query, ledger, before), query.page) { CaseCursor($0).text }
    }

    private func listed(_ query: CaseQuery, _ ledger: Int64, _ before: CaseCursor) throws(StoreError) -> [CaseRow] {
        try sqlite { connection in
            guard let state = query.state else {
                return try connection.rows(
                    "cases.listed", SQL.listed, ledger, before.openedAt, before.id, query.productID, query.rawReason,
                    query.page.rowsToRead
                ) { try CaseRow($0) }
            }
            return try connection.rows(
                "cases.listedByState", SQL.listedByState, ledger, before.openedAt, before.id, query.productID, query.rawReason,
                query.page.rowsToRead, state.rawValue
            ) { try CaseRow($0) }
        }
    }

    private func ofCustomer(
        _ customer: CustomerID, _ query: CaseQuery, _ ledger: Int64, _ before: CaseCursor
    ) throws(StoreError) -> [CaseRow] {
        try sqlite {
            try $0.rows(
                "cases.ofCustomer", SQL.ofCustomer, ledger, before.openedAt, before.id, query.productID, query.rawReason,
                query.page.rowsToRead, customer.rawValue, query.state?.rawValue, Alias.Kind.originalTransactionID.rawValue
            ) { try CaseRow($0) }
        }
    }

    func casesInWindow(at now: Timestamp, in ledger: Ledger) throws(StoreError) -> [CaseRow] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try sqlite { try $0.rows("cases.inWindow", SQL.inWindow, ledger, now) { try CaseRow($0) } }
    }

    func casesInWindow(at now: Timestamp, in ledger: Ledger, page: PageRequest) throws(StoreError) -> Page<CaseRow> {
        let after = try DeadlineCursor(page, after: now)
        guard let ledger = try number(of: ledger) else { return Page(items: [], nextCursor: nil) }
        let rows = try sqlite {
            try $0.rows("cases.inWindowPage", SQL.inWindowPage, ledger, after.deadline, after.id, page.rowsToRead) { try CaseRow($0) }
        }
        return Page(rows, page) { DeadlineCursor($0).text }
    }

    func caseEvents(of customer: CustomerID) throws(StoreError) -> [TransactionID: [CaseEvent]] {
        let chains = Alias.Kind.originalTransactionID.rawValue
        let found = try sqlite {
            try $0.rows("caseEvents.ofCustomer", SQL.eventsOfCustomer, customer.rawValue, chains) { row in
                (id: TransactionID(try row.text(9)), event: try CaseEvent(row))
            }
        }
        return Dictionary(grouping: found, by: \.id).mapValues { $0.map(\.event) }
    }

    func put(_ event: CaseEvent, of id: TransactionID, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run(
                "caseEvents.put", SQL.putEvent, ledger, id, event.kind.rawValue, event.notificationUUID, event.signedDate,
                event.rawReason, event.revocation?.date, event.revocation?.reason, event.revocation?.rawType,
                event.revocation?.percentage, event.revokedSeats)
        }
    }

    func put(_ row: CaseRow, in ledger: Ledger) throws(StoreError) {
        noteCase(row.transactionID, in: ledger)
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run(
                "cases.put", SQL.put, ledger, row.transactionID, row.originalTransactionID, row.productID, row.state.rawValue,
                row.rawReason, row.openedAt, row.deadline)
        }
    }
}

extension CaseEvent {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        self.init(kind: try row.word(&column), notificationUUID: try row.id(&column), signedDate: try row.timestamp(&column))
        rawReason = try row.optionalText(&column)
        let revokedAt = try row.optionalTimestamp(&column)
        let reason = try row.optionalInt32(&column)
        let type = try row.optionalText(&column)
        let percentage = try row.optionalInt32(&column)
        revocation = revokedAt.map { Revocation(date: $0, reason: reason, rawType: type, percentage: percentage) }
        revokedSeats = try row.optionalInt32(&column)
    }
}

extension CaseRow {
    fileprivate init(_ row: borrowing Row) throws(SQLiteError) {
        var column = 0
        self.init(
            transactionID: try row.id(&column), originalTransactionID: try row.id(&column), productID: try row.optionalID(&column),
            state: try row.word(&column), rawReason: try row.optionalText(&column), openedAt: try row.timestamp(&column),
            deadline: try row.optionalTimestamp(&column))
    }
}
