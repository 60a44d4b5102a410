import Domain
import Store

/// A report as tables, for whoever shows it. What the figures mean stands in ``notes`` and in docs/reports.md.
package struct ReportDocument: Hashable, Sendable {
    package var name: String
    /// nil where the report is of no app.
    package var scope: ReportScope?
    /// Plain sentences: what is an estimate, what matches what.
    package var notes: [String]
    /// The main one comes first.
    package var tables: [ReportTable]

    package init(name: String, scope: ReportScope?, notes: [String] = [], tables: [ReportTable]) {
        self.name = name
        self.scope = scope
        self.notes = notes
        self.tables = tables
    }

    package func table(_ name: String) -> ReportTable? { tables.first { $0.name == name } }
}

/// Of what a report tells.
package struct ReportScope: Hashable, Sendable {
    package var ledger: Ledger
    package var span: ReportSpan

    package init(ledger: Ledger, span: ReportSpan) {
        self.ledger = ledger
        self.span = span
    }
}

package struct ReportTable: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        /// In JSON and CSV, in camelCase.
        package var name: String
        package var heading: String
        /// Whether its cells are money, and so have a currency of their own.
        package var isMoney: Bool

        package init(_ name: String, _ heading: String, isMoney: Bool = false) {
            self.name = name
            self.heading = heading
            self.isMoney = isMoney
        }

        package static func money(_ name: String, _ heading: String) -> Column { Column(name, heading, isMoney: true) }
    }
    package enum Cell: Hashable, Sendable {
        case none
        case text(String)
        case count(Int64)
        case money(Money)
        /// 0...1, or a difference of shares.
        case share(Double)
        case seconds(Int64)
    }
    package var name: String
    package var title: String
    package var columns: [Column]
    package var rows: [[Cell]]

    package init(_ name: String, _ title: String, columns: [Column], rows: [[Cell]]) {
        self.name = name
        self.title = title
        self.columns = columns
        self.rows = rows
    }
}

extension ReportTable.Cell {
    package static func share(_ value: Double?) -> Self { value.map(Self.share) ?? .none }
    package static func seconds(_ value: Int64?) -> Self { value.map(Self.seconds) ?? .none }
    package static func count(_ value: Int64?) -> Self { value.map(Self.count) ?? .none }

    /// A share of so many; nothing of none.
    package static func rate(_ count: Int64, per total: Int64) -> Self { .share(Share(count, of: total).value) }
}

extension CivilDate {
    /// `2026-11-01`.
    package var text: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }

    private func padded(_ number: Int64, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}
