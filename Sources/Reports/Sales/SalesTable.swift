import Domain

/// A tab-separated file with a header line, read by the names of its columns: their order differs, and columns get added.
struct SalesTable {
    struct Row {
        fileprivate var columns: [String: Int]
        fileprivate var fields: [Substring]
        /// Counted from 1, the header being the first.
        var line: Int

        /// Empty where the row is short.
        subscript(_ name: String) -> String {
            guard let index = columns[SalesTable.folded(name)], fields.indices.contains(index) else { return "" }
            return SalesTable.trimmed(fields[index])
        }

        fileprivate func reaches(_ name: String) -> Bool { columns[SalesTable.folded(name)].map(fields.indices.contains) ?? false }
    }
    private let columns: [String: Int]
    let rows: [Row]

    /// - Throws: Where there is no header, or a line has more fields than it: then columns would be taken for others.
    init(_ text: String) throws(SalesFileError) {
        var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        if let first = lines.first, first.hasPrefix("\u{FEFF}") { lines[0] = first.dropFirst() }
        guard let head = lines.first, head.contains("\t") else { throw SalesFileError("it has no header line of tab-separated names") }
        let names = head.split(separator: "\t", omittingEmptySubsequences: false).map(SalesTable.folded)
        let columns = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        var rows: [Row] = []
        for (number, line) in lines.enumerated().dropFirst() where !SalesTable.trimmed(line).isEmpty {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count <= names.count || fields.dropFirst(names.count).allSatisfy({ SalesTable.trimmed($0).isEmpty }) else {
                throw SalesFileError("line \(number + 1) has \(fields.count) fields, the header \(names.count)")
            }
            rows.append(Row(columns: columns, fields: fields, line: number + 1))
        }
        self.columns = columns
        self.rows = rows
    }

    func has(_ names: String...) -> Bool { names.allSatisfy { columns[SalesTable.folded($0)] != nil } }

    /// Names are compared without case; Apple's pages call a column `Developer Proceeds (per unit)` that files call `Developer Proceeds`.
    fileprivate static func folded(_ name: some StringProtocol) -> String {
        let text = trimmed(name).lowercased()
        return text.hasSuffix(" (per unit)") ? String(text.dropLast(11)) : text
    }

    fileprivate static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}

/// Why a file cannot be imported, in words that say what to do.
package struct SalesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
}

extension SalesTable.Row {
    /// What a row cannot do without.
    ///
    /// - Throws: Where the row ends before it: the file is not whole.
    func text(_ name: String) throws(SalesFileError) -> String {
        guard reaches(name) else { throw SalesFileError("line \(line) ends before \(name): the file is not whole") }
        return self[name]
    }

    /// A decimal number in units of 10^-places; digits beyond must be zero. Empty is zero.
    func decimal(_ name: String, places: Int) throws(SalesFileError) -> Int64 {
        let text = try text(name)
        guard !text.isEmpty else { return 0 }
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = (1...2).contains(parts.count) && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let fraction = parts.count == 2 ? parts[1] : ""
        let kept = fraction.prefix(places)
        let digits = String(parts.first ?? "") + kept + String(repeating: "0", count: places - kept.count)
        guard isNumber, fraction.dropFirst(places).allSatisfy({ $0 == "0" }), let number = Int64(digits), number < 1_000_000_000_000_000
        else {
            throw SalesFileError("line \(line): \(name) is no number: \(text.prefix(40))")
        }
        return isNegative ? -number : number
    }

    /// `MM/DD/YYYY` or `YYYY-MM-DD`, in days since 1970-01-01.
    func day(_ name: String) throws(SalesFileError) -> Int64 {
        let text = try text(name)
        let parts = text.split(separator: "/")
        let plain = parts.count == 3 ? "\(parts[2])-\(parts[0].padded)-\(parts[1].padded)" : text
        guard let date = Timestamp(utc: plain + "T00:00Z") else {
            throw SalesFileError("line \(line): \(name) is no day: \(text.prefix(40))")
        }
        return CivilDate(date).daysSinceEpoch
    }
}

extension Substring {
    fileprivate var padded: String { count == 1 ? "0" + self : String(self) }
}
