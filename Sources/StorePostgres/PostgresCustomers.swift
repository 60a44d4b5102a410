import Domain
import Postgres
import Store

private enum SQL {
    static let find: StaticString = "SELECT customer_id FROM aliases WHERE ledger_id = $1 AND kind = $2 AND value = $3"
    // Each name by itself: for a list of pairs the planner may read all names of the ledger.
    static let findAll: StaticString = """
        SELECT kind, value, customer_id FROM aliases WHERE ledger_id = $1 AND kind = $2 AND value = $3
        UNION ALL SELECT kind, value, customer_id FROM aliases WHERE ledger_id = $1 AND kind = $4 AND value = $5
        UNION ALL SELECT kind, value, customer_id FROM aliases WHERE ledger_id = $1 AND kind = $6 AND value = $7
        UNION ALL SELECT kind, value, customer_id FROM aliases WHERE ledger_id = $1 AND kind = $8 AND value = $9
        """
    static let aliases: StaticString = "SELECT kind, value FROM aliases WHERE customer_id = $1 ORDER BY ledger_id, kind, value"
    static let page: StaticString = "SELECT id FROM customers WHERE ledger_id = $1 AND id > $2 ORDER BY id LIMIT $3"
    // What is decided here must see outages that are recorded at this moment, or be seen by whoever records them.
    static let shareOutages: StaticString = "SELECT pg_advisory_xact_lock_shared($1)"
    // In the order of their numbers, so that two who lock some of the same do not wait for each other.
    static let lock: StaticString = "SELECT id FROM customers WHERE id = ANY ($1) ORDER BY id FOR UPDATE"
    static let insert: StaticString = "INSERT INTO customers (ledger_id) VALUES ($1) RETURNING id"
    static let delete: StaticString = "DELETE FROM customers WHERE id = $1"
    static let name: StaticString = "INSERT INTO aliases (ledger_id, kind, value, customer_id) VALUES ($1, $2, $3, $4)"
    static let move: StaticString = "UPDATE aliases SET customer_id = $2 WHERE customer_id = $1"
    // Numbers of events go on rising, and what one of the two was not told yet is told.
    static let inherit: StaticString = """
        UPDATE customers SET
            event_sequence = greatest(event_sequence, (SELECT event_sequence FROM customers WHERE id = $1)),
            told_at_ms = (SELECT min(told_at_ms) FROM customers WHERE id IN ($1, $2))
        WHERE id = $2
        """
    static let unname: StaticString = "DELETE FROM aliases WHERE customer_id = $1"
    static let copy: StaticString = """
        INSERT INTO customers (ledger_id, event_sequence, told_at_ms)
        SELECT ledger_id, event_sequence, told_at_ms FROM customers WHERE id = $1 RETURNING id
        """
    static let link: StaticString = "SELECT user_id, at_ms FROM user_links WHERE ledger_id = $1 AND original_transaction_id = $2"
    static let putLink: StaticString = """
        INSERT INTO user_links (ledger_id, original_transaction_id, user_id, at_ms) VALUES ($1, $2, $3, $4)
        ON CONFLICT (ledger_id, original_transaction_id) DO UPDATE SET user_id = excluded.user_id, at_ms = excluded.at_ms
        WHERE excluded.at_ms >= user_links.at_ms
        """
}

extension PostgresSession {
    func customer(_ alias: Alias, in ledger: Ledger) throws(StoreError) -> CustomerID? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try customer(alias, ledger)
    }

    private func customer(_ alias: Alias, _ ledger: Int64) throws(StoreError) -> CustomerID? {
        try postgres {
            try $0.first("customers.find", SQL.find, ledger, alias.kind.rawValue, alias.value) { CustomerID(try $0.int64(0)) }
        }
    }

    func aliases(of customer: CustomerID) throws(StoreError) -> [Alias] {
        try postgres {
            try $0.rows("customers.aliases", SQL.aliases, customer.rawValue) { try Alias($0) }
        }
    }

    func customers(in ledger: Ledger, page: PageRequest) throws(StoreError) -> Page<CustomerID> {
        let after = try page.number ?? 0
        guard let ledger = try number(of: ledger) else { return Page(items: [], nextCursor: nil) }
        let found = try postgres {
            try $0.rows("customers.page", SQL.page, ledger, after, page.rowsToRead) { CustomerID(try $0.int64(0)) }
        }
        return Page(found, page) { "\($0.rawValue)" }
    }

    /// Where two processes join at once, the locks make one of them wait, and what it read before is read again.
    func join(_ aliases: [Alias], in ledger: Ledger) throws(StoreError) -> CustomerID {
        precondition(!aliases.isEmpty, "a customer has at least one name")
        let ledger = try numberForWriting(to: ledger)
        var known = try customers(aliases, ledger)
        var unknown: Set<Alias> { Set(aliases).subtracting(known.keys) }
        // Nothing is to be changed, so nothing need be locked.
        if unknown.isEmpty, let only = known.values.first, Set(known.values).count == 1 { return only }
        known = try lockCustomers(aliases, ledger, known)
        let joined = if let oldest = known.values.min() { oldest } else { try addCustomer(ledger) }
        for other in Set(known.values).sorted() where other != joined { try move(other, into: joined) }
        for alias in unknown.sorted() { try name(joined, alias, ledger) }
        return joined
    }

    func hold(_ names: [Alias], in ledger: Ledger) throws(StoreError) -> [CustomerID] {
        guard let ledger = try number(of: ledger) else { return [] }
        try postgres { try $0.queue("customers.outages", SQL.shareOutages, AdvisoryKey.outages(ledger).number) }
        let known = try lockCustomers(names, ledger, customers(names, ledger))
        var held: [CustomerID] = []
        for customer in names.compactMap({ known[$0] }) where !held.contains(customer) { held.append(customer) }
        return held
    }

    /// Locks the customers behind names until names and customers stay the same: one that is waited for may be joined to another
    /// meanwhile.
    ///
    /// - Parameter known: What the names meant a moment ago.
    /// - Returns: What they mean now, and until the transaction ends.
    private func lockCustomers(
        _ names: [Alias], _ ledger: Int64, _ known: [Alias: CustomerID]
    ) throws(StoreError) -> [Alias: CustomerID] {
        var known = known
        for _ in 0..<10 {
            guard !known.isEmpty else { return known }
            let wanted = Set(known.values).sorted()
            guard !wanted.allSatisfy(heldCustomers.contains) else { return known }
            let locked = try postgres {
                try $0.rows("customers.lock", SQL.lock, Value.integers(wanted.map(\.rawValue))) { CustomerID(try $0.int64(0)) }
            }
            let now = try customers(names, ledger)
            if now == known, locked == wanted {
                heldCustomers.formUnion(locked)
                return known
            }
            known = now
        }
        throw .busy("customers.lock", database)
    }

    /// What each of the names means; those that mean nothing are missing. One query for every four names.
    private func customers(_ names: [Alias], _ ledger: Int64) throws(StoreError) -> [Alias: CustomerID] {
        var found: [Alias: CustomerID] = [:]
        let names = Set(names).sorted()
        for start in stride(from: 0, to: names.count, by: 4) {
            let four = (0..<4).map { names[min(start + $0, names.count - 1)] }
            let rows = try postgres {
                try $0.rows(
                    "customers.findAll", SQL.findAll, ledger, four[0].kind.rawValue, four[0].value, four[1].kind.rawValue, four[1].value,
                    four[2].kind.rawValue, four[2].value, four[3].kind.rawValue, four[3].value
                ) { (try Alias($0), CustomerID(try $0.int64(2))) }
            }
            for (alias, customer) in rows { found[alias] = customer }
        }
        return found
    }

    private func addCustomer(_ ledger: Int64) throws(StoreError) -> CustomerID {
        let number = try postgres { try $0.first("customers.insert", SQL.insert, ledger) { try $0.int64(0) } }
        guard let number else { throw .busy("customers.insert", database) }
        heldCustomers.insert(CustomerID(number))
        return CustomerID(number)
    }

    private func name(_ customer: CustomerID, _ alias: Alias, _ ledger: Int64) throws(StoreError) {
        try postgres { connection in
            try connection.queue("customers.name", SQL.name, ledger, alias.kind.rawValue, alias.value, customer.rawValue)
        }
    }

    private func move(_ customer: CustomerID, into joined: CustomerID) throws(StoreError) {
        try postgres { connection in
            try connection.queue("customers.inherit", SQL.inherit, customer.rawValue, joined.rawValue)
            try connection.queue("customers.move", SQL.move, customer.rawValue, joined.rawValue)
            try connection.queue("customers.delete", SQL.delete, customer.rawValue)
        }
    }

    func divide(_ customer: CustomerID, into groups: [[Alias]], in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { try $0.queue("customers.unname", SQL.unname, customer.rawValue) }
        for (index, group) in groups.enumerated() {
            let owner = index == 0 ? customer : try copy(customer)
            for alias in group { try name(owner, alias, ledger) }
        }
    }

    private func copy(_ customer: CustomerID) throws(StoreError) -> CustomerID {
        let number = try postgres { try $0.first("customers.copy", SQL.copy, customer.rawValue) { try $0.int64(0) } }
        guard let number else { throw .busy("customers.copy", database) }
        heldCustomers.insert(CustomerID(number))
        return CustomerID(number)
    }

    func userLink(_ original: TransactionID, in ledger: Ledger) throws(StoreError) -> UserLinkFact? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres {
            try $0.first("userLinks.find", SQL.link, ledger, original) { row in
                var column = 0
                return UserLinkFact(originalTransactionID: original, userID: try row.id(&column), at: try row.timestamp(&column))
            }
        }
    }

    func put(_ link: UserLinkFact, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        try postgres { connection in
            try connection.queue("userLinks.put", SQL.putLink, ledger, link.originalTransactionID, link.userID, link.at)
        }
    }
}

extension Alias {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        guard let kind = Kind(rawValue: try row.int(0)) else { throw row.mismatch(0, "a kind of alias") }
        self.init(kind, try row.text(1))
    }
}
