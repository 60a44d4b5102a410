import SQLite
import Store

/// What differs between kept and rebuilt state.
struct Differences: Sendable {
    static let limit = 100
    /// One line each, the first hundred.
    private(set) var lines: [String] = []
    private(set) var tables: Set<String> = []

    var isFull: Bool { lines.count >= Differences.limit }

    mutating func add(_ table: String, _ line: String) {
        tables.insert(table)
        if !isFull { lines.append("\(table) \(line)") }
    }
}

/// A table, or a view of one, that must be the same in two databases. Both are read side by side in the order of the key.
struct TableComparison {
    /// The table to name, and to repair.
    let table: String
    let view: String
    /// The key's columns come first.
    let columns: [String]
    let keyCount: Int

    func compare(_ kept: SQLiteSession, _ rebuilt: SQLiteSession, _ differences: inout Differences) throws(StoreError) {
        do {
            var keptRows = try TableCursor(view, columns: columns, on: kept.connection)
            var rebuiltRows = try TableCursor(view, columns: columns, on: rebuilt.connection)
            var (keptRow, rebuiltRow) = (try keptRows.next(), try rebuiltRows.next())
            while keptRow != nil || rebuiltRow != nil {
                if differences.isFull, differences.tables.contains(table) { return }
                let order = order(keptRow, rebuiltRow)
                if let line = try line(keptRow, rebuiltRow, order, kept) { differences.add(table, line) }
                if order != .rebuiltFirst { keptRow = try keptRows.next() }
                if order != .keptFirst { rebuiltRow = try rebuiltRows.next() }
            }
        } catch {
            throw StoreError(error, database: kept.database)
        }
    }

    private enum Order { case keptFirst, same, rebuiltFirst }

    private func order(_ kept: [Value]?, _ rebuilt: [Value]?) -> Order {
        guard let kept else { return .rebuiltFirst }
        guard let rebuilt else { return .keptFirst }
        for (a, b) in zip(kept, rebuilt).prefix(keyCount) where a != b { return a.isBefore(b) ? .keptFirst : .rebuiltFirst }
        return .same
    }

    private func line(_ kept: [Value]?, _ rebuilt: [Value]?, _ order: Order, _ session: SQLiteSession) throws(StoreError) -> String? {
        switch (order, kept, rebuilt) {
        case (.keptFirst, let row?, _): return "\(try key(row, session)): kept, but not in the log"
        case (.rebuiltFirst, _, let row?): return "\(try key(row, session)): in the log, but not kept"
        case (.same, let kept?, let rebuilt?) where kept != rebuilt: return "\(try key(kept, session)): \(changes(kept, rebuilt))"
        default: return nil
        }
    }

    private func key(_ row: [Value], _ session: SQLiteSession) throws(StoreError) -> String {
        var words: [String] = []
        for (column, value) in zip(columns, row).prefix(keyCount) {
            switch (column, value) {
            case ("ledger_id", .integer(let number)):
                let ledger = try session.ledger(number)
                words.append("\(ledger.app)/\(ledger.environment.rawValue)")
            case (_, .integer(let number)): words.append("\(number)")
            case (_, .text(let text)): words.append(text)
            default: words.append("?")
            }
        }
        return words.joined(separator: " ")
    }

    /// Numbers as they are; of anything else, which may tell of a person, only that it differs.
    private func changes(_ kept: [Value], _ rebuilt: [Value]) -> String {
        let changed = columns.indices.filter { kept[$0] != rebuilt[$0] }
        return changed.map { index in
            guard let a = kept[index].number, let b = rebuilt[index].number else { return "\(columns[index]) differs" }
            return "\(columns[index]) kept=\(a) rebuilt=\(b)"
        }.joined(separator: ", ")
    }
}

extension Value {
    /// In the order of SQLite: numbers by value, text byte by byte. Keys are of one type a column.
    fileprivate func isBefore(_ other: Value) -> Bool {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }

    fileprivate var number: String? {
        switch self {
        case .integer(let number): "\(number)"
        case .null: "none"
        default: nil
        }
    }
}

private enum SQL {
    // A customer's number means nothing outside its database: its first alias stands for it.
    static let groups: StaticString = """
        CREATE TEMP VIEW alias_groups AS
        SELECT ledger_id, kind, value, (
            SELECT first.kind || ' ' || first.value FROM aliases AS first WHERE first.customer_id = aliases.customer_id
            ORDER BY first.ledger_id, first.kind, first.value LIMIT 1
        ) AS customer FROM aliases
        """
    static let key: StaticString = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk"
    static let nameless: StaticString = """
        SELECT id FROM customers WHERE NOT EXISTS (SELECT 1 FROM aliases WHERE customer_id = customers.id) ORDER BY id LIMIT 100
        """
}

extension SQLiteSession {
    /// To be called before the transaction in which tables are compared.
    func prepareComparison() throws(StoreError) {
        try sqlite { try $0.run("replay.groups", SQL.groups) }
    }

    func comparedTables() throws(StoreError) -> [TableComparison] {
        var tables: [TableComparison] = []
        for table in foldedTables {
            let (key, columns) = try sqlite {
                (try $0.rows("replay.key", SQL.key, table) { try $0.text(0) }, try $0.columns(of: table))
            }
            let others = columns.filter { !key.contains($0) }
            tables.append(TableComparison(table: table, view: table, columns: key + others, keyCount: key.count))
        }
        let names = ["ledger_id", "kind", "value", "customer"]
        return tables + [TableComparison(table: "aliases", view: "alias_groups", columns: names, keyCount: 3)]
    }

    func findNamelessCustomers(_ differences: inout Differences) throws(StoreError) {
        for id in try sqlite({ try $0.rows("replay.nameless", SQL.nameless) { try $0.int64(0) } }) {
            differences.add("customers", "\(id): kept, but has no name")
        }
    }
}
