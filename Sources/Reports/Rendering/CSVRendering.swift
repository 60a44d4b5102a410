import Domain
import Store

/// One table of a report as CSV: each row says of which days and in which zone it is.
///
/// - Source: RFC 4180, with line feeds alone.
package enum CSVRendering {
    package static func text(_ document: ReportDocument, table: ReportTable) -> String {
        let scope = document.scope.map(scopeFields) ?? []
        let head = (document.scope == nil ? [] : ["app", "environment", "from", "to", "zone"]) + table.columns.flatMap(names)
        let rows = table.rows.map { row in scope + zip(row, table.columns).flatMap { fields($0, isMoney: $1.isMoney) } }
        return ([head] + rows).map { $0.map(quoted).joined(separator: ",") }.joined(separator: "\n")
    }

    private static func scopeFields(_ scope: ReportScope) -> [String] {
        [
            scope.ledger.app.rawValue, scope.ledger.environment.rawValue, CivilDate(daysSinceEpoch: scope.span.from).text,
            CivilDate(daysSinceEpoch: scope.span.to).text, scope.span.zone.rawValue,
        ]
    }

    /// Money takes two columns.
    private static func names(_ column: ReportTable.Column) -> [String] {
        column.isMoney ? [column.name, column.name + "Currency"] : [column.name]
    }

    private static func fields(_ cell: ReportTable.Cell, isMoney: Bool) -> [String] {
        switch cell {
        case .none: isMoney ? ["", ""] : [""]
        case .text(let text): [text]
        case .count(let count): ["\(count)"]
        case .money(let money): [DecimalText.money(money.amount), money.currency]
        case .share(let share): [DecimalText.fraction(share)]
        case .seconds(let seconds): ["\(seconds)"]
        }
    }

    /// Text that a spreadsheet would take for a formula gets an apostrophe: names come from outside.
    private static func quoted(_ field: String) -> String {
        let isFormula = field.first.map { "=+@\t".contains($0) } ?? false || field.hasPrefix("-") && Double(field) == nil
        let safe = isFormula ? "'" + field : field
        guard safe.contains(where: { ",\"\n\r".contains($0) || $0.isNewline }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
