import Domain
import Store

/// A report as JSON: members in a fixed order, a table as an array of objects, shares as numbers of four places.
package enum JSONRendering {
    package static func text(_ document: ReportDocument) -> String {
        var members = [("report", quoted(document.name))]
        if let scope = document.scope {
            members += [
                ("app", quoted(scope.ledger.app.rawValue)), ("environment", quoted(scope.ledger.environment.rawValue)),
                ("from", quoted(CivilDate(daysSinceEpoch: scope.span.from).text)),
                ("to", quoted(CivilDate(daysSinceEpoch: scope.span.to).text)), ("zone", quoted(scope.span.zone.rawValue)),
            ]
        }
        members.append(("notes", array(document.notes.map(quoted))))
        for table in document.tables { members.append((table.name, array(table.rows.map { row($0, table.columns) }))) }
        return object(members)
    }

    private static func row(_ cells: [ReportTable.Cell], _ columns: [ReportTable.Column]) -> String {
        object(zip(columns, cells).map { ($0.name, value($1)) })
    }

    private static func value(_ cell: ReportTable.Cell) -> String {
        switch cell {
        case .none: "null"
        case .text(let text): quoted(text)
        case .count(let count): "\(count)"
        case .money(let money): object([("amount", "\(money.amount)"), ("currency", quoted(money.currency))])
        case .share(let share): DecimalText.fraction(share)
        case .seconds(let seconds): "\(seconds)"
        }
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
