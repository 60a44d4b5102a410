import Domain
import Store

/// A report for people to read: tables in columns, and what they mean below.
package enum TextRendering {
    package static func text(_ document: ReportDocument) -> String {
        var blocks = [head(document)]
        blocks += document.tables.map(block)
        if !document.notes.isEmpty { blocks.append(document.notes.map { "- \($0)" }.joined(separator: "\n")) }
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func head(_ document: ReportDocument) -> String {
        guard let scope = document.scope else { return "" }
        let (from, to) = (CivilDate(daysSinceEpoch: scope.span.from), CivilDate(daysSinceEpoch: scope.span.to - 1))
        return "\(document.name) of \(scope.ledger.app), \(scope.ledger.environment.rawValue), \(from.text) to \(to.text) (days in "
            + "\(scope.span.zone.rawValue))"
    }

    private static func block(_ table: ReportTable) -> String {
        guard !table.rows.isEmpty else { return "\(table.title)\n  nothing" }
        let rows = [table.columns.map(\.heading)] + table.rows.map { $0.map(\.words) }
        let widths = table.columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let isNumber = table.columns.indices.map { column in table.rows.allSatisfy { $0[column].isNumber } }
        let lines = rows.map { row in
            let cells = row.indices.map { padded(row[$0], to: widths[$0], right: isNumber[$0]) }
            var line = "  " + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        return ([table.title] + lines).joined(separator: "\n")
    }

    private static func padded(_ text: String, to width: Int, right: Bool) -> String {
        let space = String(repeating: " ", count: width - text.count)
        return right ? space + text : text + space
    }
}

extension ReportTable.Cell {
    fileprivate var isNumber: Bool { if case .text = self { false } else { true } }

    fileprivate var words: String {
        switch self {
        case .none: "-"
        // A name out of signed data may hold anything; a line stays a line.
        case .text(let text): String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        case .count(let count): "\(count)"
        case .money(let money): "\(DecimalText.money(money.amount)) \(money.currency)"
        case .share(let share): "\(DecimalText.percent(share)) %"
        case .seconds(let seconds): DecimalText.duration(seconds)
        }
    }
}
