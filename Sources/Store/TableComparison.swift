import Domain

/// What differs between kept and rebuilt state.
package struct Differences: Sendable {
    package static let limit = 100
    /// One line each, the first hundred.
    package private(set) var lines: [String] = []
    package private(set) var tables: Set<String> = []

    package var isFull: Bool { lines.count >= Differences.limit }

    package init() {}

    package mutating func add(_ table: String, _ line: String) {
        tables.insert(table)
        if !isFull { lines.append("\(table) \(line)") }
    }
}

/// A table, or a view of one, that must be the same in two databases. Both are read side by side in the order of the key.
package struct TableComparison {
    /// The table to name, and to repair.
    package let table: String
    package let view: String
    /// The key's columns come first.
    package let columns: [String]
    package let keyCount: Int

    package init(table: String, view: String, columns: [String], keyCount: Int) {
        self.table = table
        self.view = view
        self.columns = columns
        self.keyCount = keyCount
    }

    /// A folded table with all its columns, but for what only spreads counters.
    package init(table: String, view: String, key: [String], columns: [String]) {
        let key = key.filter { !FoldedCounters.spreading.contains($0) }
        let others = columns.filter { !key.contains($0) && !FoldedCounters.spreading.contains($0) }
        self.init(table: table, view: view, columns: key + others, keyCount: key.count)
    }

    /// The next row of one side; nil after the last.
    package typealias NextRow = () throws(StoreError) -> [StoredValue]?

    /// - Parameter ledger: The name of a ledger by its number.
    package func compare(
        _ kept: NextRow, _ rebuilt: NextRow, ledger: (Int64) throws(StoreError) -> String, _ differences: inout Differences
    ) throws(StoreError) {
        var (keptRow, rebuiltRow) = (try kept(), try rebuilt())
        while keptRow != nil || rebuiltRow != nil {
            if differences.isFull, differences.tables.contains(table) { return }
            let order = order(keptRow, rebuiltRow)
            if let line = try line(keptRow, rebuiltRow, order, ledger) { differences.add(table, line) }
            if order != .rebuiltFirst { keptRow = try kept() }
            if order != .keptFirst { rebuiltRow = try rebuilt() }
        }
    }

    private enum Order { case keptFirst, same, rebuiltFirst }

    private func order(_ kept: [StoredValue]?, _ rebuilt: [StoredValue]?) -> Order {
        guard let kept else { return .rebuiltFirst }
        guard let rebuilt else { return .keptFirst }
        for (a, b) in zip(kept, rebuilt).prefix(keyCount) where a != b { return a.isBefore(b) ? .keptFirst : .rebuiltFirst }
        return .same
    }

    private func line(_ kept: [StoredValue]?, _ rebuilt: [StoredValue]?, _ order: Order, _ ledger: (Int64) throws(StoreError) -> String)
        throws(StoreError) -> String?
    {
        switch (order, kept, rebuilt) {
        case (.keptFirst, let row?, _): return "\(try key(row, ledger)): kept, but not in the log"
        case (.rebuiltFirst, _, let row?): return "\(try key(row, ledger)): in the log, but not kept"
        case (.same, let kept?, let rebuilt?) where kept != rebuilt: return "\(try key(kept, ledger)): \(changes(kept, rebuilt))"
        default: return nil
        }
    }

    private func key(_ row: [StoredValue], _ ledger: (Int64) throws(StoreError) -> String) throws(StoreError) -> String {
        var words: [String] = []
        for (column, value) in zip(columns, row).prefix(keyCount) {
            switch (column, value) {
            case ("ledger_id", .integer(let number)):
                words.append(try ledger(number))
            case (_, .integer(let number)): words.append("\(number)")
            case (_, .text(let text)): words.append(text)
            default: words.append("?")
            }
        }
        return words.joined(separator: " ")
    }

    /// Numbers as they are; of anything else, which may tell of a person, only that it differs.
    private func changes(_ kept: [StoredValue], _ rebuilt: [StoredValue]) -> String {
        let changed = columns.indices.filter { kept[$0] != rebuilt[$0] }
        return changed.map { index in
            guard let a = kept[index].number, let b = rebuilt[index].number else { return "\(columns[index]) differs" }
            return "\(columns[index]) kept=\(a) rebuilt=\(b)"
        }.joined(separator: ", ")
    }

    /// A row as text: the ledger apart, what is the database's own left out.
    package func folded(_ row: [StoredValue], ledger: (Int64) throws(StoreError) -> String) throws(StoreError) -> FoldedLine {
        var name = ""
        var words: [String] = []
        for (column, value) in zip(columns, row) {
            switch (column, value) {
            case ("ledger_id", .integer(let number)): name = try ledger(number)
            case ("sequence", _): break
            default: words.append("\(column)=\(value.text)")
            }
        }
        return FoldedLine(ledger: name, table: table, text: words.joined(separator: "\t"))
    }
}

/// Folded tables whose rows mean nothing by themselves, but by what they add up to.
package enum FoldedCounters {
    /// Under which name each engine adds them up.
    package static let views = ["case_sums": "case_totals", "report_sums": "report_totals"]
    fileprivate static let spreading: Set<String> = ["shard"]
}

/// One value of a stored row, whatever the engine.
package enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// In the order of both engines: numbers by value, text byte by byte. Keys are of one type a column.
    fileprivate func isBefore(_ other: StoredValue) -> Bool {
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

    /// Unlike any other value's.
    fileprivate var text: String {
        switch self {
        case .null: "-"
        case .integer(let number): "\(number)"
        case .text(let text): "'\(text)'"
        case .blob(let bytes): bytes.reduce(into: "x") { $0 += ($1 < 16 ? "0" : "") + String($1, radix: 16) }
        }
    }
}
