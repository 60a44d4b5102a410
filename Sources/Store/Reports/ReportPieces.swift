import Domain

/// Rows of one tier that a query reads.
package struct ReportPiece: Hashable, Sendable {
    package var tier: ReportTier
    /// Days of the query's zone, `[from, to)`.
    package var from: Int64
    package var to: Int64

    /// No row with a later day of UTC can be of these days: Pacific Time is behind it.
    package var lastUTC: Int64 { tier == .day ? to : to + 31 }
}

extension ReportSpan {
    /// Whole months as such, and the days before and after them: a year is read as twelve months, unless days are wanted apart.
    package func pieces(_ days: DayDetail) -> [ReportPiece] {
        let firstMonth = ReportDay.firstOfMonth(from) == from ? from : ReportDay.firstOfMonth(ReportDay.firstOfMonth(from) + 31)
        let lastMonth = ReportDay.firstOfMonth(to)
        guard days != .apart, firstMonth < lastMonth else { return [ReportPiece(tier: .day, from: from, to: to)] }
        let pieces = [
            ReportPiece(tier: .day, from: from, to: firstMonth), ReportPiece(tier: .month, from: firstMonth, to: lastMonth),
            ReportPiece(tier: .day, from: lastMonth, to: to),
        ]
        return pieces.filter { $0.from < $0.to }
    }
}

extension CaseSumRow {
    private struct Name: Hashable {
        var value: String
        var currency: String
        var day: Int64?
    }

    /// One row for what several pieces have, in order.
    package static func joined(_ rows: [CaseSumRow]) -> [CaseSumRow] {
        var found: [Name: CaseSums] = [:]
        for row in rows { found[Name(value: row.value, currency: row.currency, day: row.day), default: CaseSums()] += row.sums }
        let joined = found.map { CaseSumRow(value: $0.key.value, currency: $0.key.currency, day: $0.key.day, sums: $0.value) }
        return joined.sorted { ($0.value, $0.currency, $0.day ?? 0) < ($1.value, $1.currency, $1.day ?? 0) }
    }
}

extension ReportSumRow {
    private struct Name: Hashable {
        var value: String
        var outcome: String
        var currency: String
        var day: Int64?
    }

    /// One row for what several pieces have, in order.
    package static func joined(_ rows: [ReportSumRow]) -> [ReportSumRow] {
        var found: [Name: ReportSums] = [:]
        for row in rows {
            found[Name(value: row.value, outcome: row.outcome, currency: row.currency, day: row.day), default: ReportSums()] += row.sums
        }
        let joined = found.map { name, sums in
            ReportSumRow(value: name.value, outcome: name.outcome, currency: name.currency, day: name.day, sums: sums)
        }
        return joined.sorted { ($0.value, $0.outcome, $0.currency, $0.day ?? 0) < ($1.value, $1.outcome, $1.currency, $1.day ?? 0) }
    }
}
