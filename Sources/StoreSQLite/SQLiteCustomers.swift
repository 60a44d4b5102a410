import Domain
import SQLite
import Store

private enum SQL {
    static let find: StaticString = "SELECT customer_id FROM aliases WHERE ledger_id = ?1 AND kind = ?2 AND value = ?3"
    static let aliases: StaticString = "SELECT kind, value FROM aliases WHERE customer_id = ?1 ORDER BY ledger_id, kind, value"
    static let page: StaticString = "SELECT id FROM customers WHERE ledger_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
    static let insert: StaticString = "INSERT INTO customers (ledger_id) VALUES (?1)"
    static let delete: StaticString = "DELETE FROM customers WHERE id = ?1"
    static let name: StaticString = "INSERT INTO aliases (ledger_id, kind, value, customer_id) VALUES (?1, ?2, ?3, ?4)"
    static let move: StaticString = "UPDATE aliases SET customer_id = ?2 WHERE customer_id = ?1"
    // Numbers of events go on rising, and what one of the two was not told yet is told.
    static let inherit: StaticString = """
        UPDATE customers SET
            event_sequence = max(event_sequence, (SELECT event_sequence FROM customers WHERE id = ?1)),
            told_at_ms = (SELECT min(told_at_ms) FROM customers WHERE id IN (?1, ?2))
        WHERE id = ?2
        """
    static let unname: StaticString = "DELETE FROM aliases WHERE customer_id = ?1"
    static let copy: StaticString = """
        INSERT INTO customers (ledger_id, event_sequence, told_at_ms)
        SELECT ledger_id, event_sequence, told_at_ms FROM customers WHERE id = ?1
        """
    static let link: StaticString = "SELECT user_id, at_ms FROM user_links WHERE ledger_id = ?1 AND original_transaction_id = ?2"
    static let putLink: StaticString = """
        INSERT INTO user_links (ledger_id, original_transaction_id, user_id, at_ms) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET user_id = excluded.user_id, at_ms = excluded.at_ms WHERE excluded.at_ms >= at_ms
        """
}

extension SQLiteSession {
    func customer(_ alias: Alias, in ledger: Ledger) throws(StoreError) -> CustomerID? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try customer(alias, ledger)
    }

    private func customer(_ alias: Alias, _ ledger: Int64) throws(StoreError) -> CustomerID? {
        try sqlite {
            try $0.first("customers.find", SQL.find, ledger, alias.kind.rawValue, alias.value) { CustomerID(try $0.int64(0)) }
        }
    }

    /// There is one writer: whoever asks has the customers to itself.
    func hold(_ names: [Alias], in ledger: Ledger) throws(StoreError) -> [CustomerID] {
        guard let ledger = try number(of: ledger) else { return [] }
        var held: [CustomerID] = []
        for name in names {
            if let customer = try customer(name, ledger), !held.contains(customer) { held.append(customer) }
        }
        return held
    }

    func aliases(of customer: CustomerID) throws(StoreError) -> [Alias] {
        try sqlite {
            try $0.rows("customers.aliases", SQL.aliases, customer.rawValue) { row in
                guard let kind = Alias.Kind(rawValue: try row.int(0)) else { throw row.mismatch(0, "a kind of alias") }
                return Alias(kind, try row.text(1))
            }
        }
    }

    func customers(in ledger: Ledger, page: PageRequest) throws(StoreError) -> Page<CustomerID> {
        let after = try page.number ?? 0
        guard let ledger = try number(of: ledger) else { return Page(items: [], nextCursor: nil) }
        let found = try sqlite {
            try $0.rows("customers.page", SQL.page, ledger, after, page.rowsToRead) { CustomerID(try $0.int64(0)) }
        }
        return Page(found, page) { "\($0.rawValue)" }
    }

    func join(_ aliases: [Alias], in ledger: Ledger) throws(StoreError) -> CustomerID {
        precondition(!aliases.isEmpty, "a customer has at least one name")
        let ledger = try numberForWriting(to: ledger)
        var unknown: [Alias] = []
        var known: Set<CustomerID> = []
        for alias in aliases {
            if let customer = try customer(alias, ledger) {
                known.insert(customer)
            } else if !unknown.contains(alias) {
                unknown.append(alias)
            }
        }
        let joined = if let oldest = known.min() { oldest } else { try addCustomer(ledger) }
        for other in known where other != joined { try move(other, into: joined) }
        for alias in unknown { try name(joined, alias, ledger) }
        return joined
    }

    private func addCustomer(_ ledger: Int64) throws(StoreError) -> CustomerID {
        try sqlite { connection in
            try connection.run("customers.insert", SQL.insert, ledger)
            return CustomerID(connection.lastInsertedRowID)
        }
    }

    private func name(_ customer: CustomerID, _ alias: Alias, _ ledger: Int64) throws(StoreError) {
        try sqlite { connection in
            try connection.run("customers.name", SQL.name, ledger, alias.kind.rawValue, alias.value, customer.rawValue)
        }
    }

    private func move(_ customer: CustomerID, into joined: CustomerID) throws(StoreError) {
        try sqlite { connection in
            try connection.run("customers.inherit", SQL.inherit, customer.rawValue, joined.rawValue)
            try connection.run("customers.move", SQL.move, customer.rawValue, joined.rawValue)
            try connection.run("customers.delete", SQL.delete, customer.rawValue)
        }
    }

    func divide(_ customer: CustomerID, into groups: [[Alias]], in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { try $0.run("customers.unname", SQL.unname, customer.rawValue) }
        for (index, group) in groups.enumerated() {
            let owner = index == 0 ? customer : try copy(customer)
            for alias in group { try name(owner, alias, ledger) }
        }
    }

    private func copy(_ customer: CustomerID) throws(StoreError) -> CustomerID {
        try sqlite { connection in
            try connection.run("customers.copy", SQL.copy, customer.rawValue)
            return CustomerID(connection.lastInsertedRowID)
        }
    }

    func userLink(_ original: TransactionID, in ledger: Ledger) throws(StoreError) -> UserLinkFact? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try sqlite {
            try $0.first("userLinks.find", SQL.link, ledger, original) { row in
                var column = 0
                return UserLinkFact(originalTransactionID: original, userID: try row.id(&column), at: try row.timestamp(&column))
            }
        }
    }

    func put(_ link: UserLinkFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try sqlite { connection in
            try connection.run("userLinks.put", SQL.putLink, ledger, link.originalTransactionID, link.userID, link.at)
        }
    }
}
