import Domain

/// What a yearly subscription paid in twelve months is worth beside one paid at once, and what a refund of each month costs.
package struct CommitmentCalculation: Hashable, Sendable {
    package static let periods: Int64 = 12

    /// Milliunits.
    package var upfront: Int64
    package var monthly: Int64

    /// - Returns: nil for amounts that are no prices.
    package init?(upfront: Int64, monthly: Int64) {
        guard upfront > 0, monthly > 0, upfront < 1_000_000_000_000, monthly < 1_000_000_000_000 else { return nil }
        self.upfront = upfront
        self.monthly = monthly
    }

    package var total: Int64 { CommitmentCalculation.periods * monthly }
    /// Of the upfront price.
    package var surcharge: Double { Double(total - upfront) / Double(upfront) }
    /// How many months must stay paid to bring in as much as the upfront price; nil where twelve do not.
    package var monthsToUpfront: Int64? {
        let months = (upfront + monthly - 1) / monthly
        return months <= CommitmentCalculation.periods ? months : nil
    }

    /// What stays of the commitment where the given month is refunded while it is the running one.
    package func kept(refundingMonth month: Int64) -> Int64 { (month - 1) * monthly }
    package func lost(refundingMonth month: Int64) -> Int64 { (CommitmentCalculation.periods - month) * monthly }
}

extension CommitmentCalculation {
    package var document: ReportDocument {
        ReportDocument(name: "commitment", scope: nil, notes: notes, tables: [summary, months])
    }

    private var summary: ReportTable {
        ReportTable(
            "plans", "Both plans, in list prices",
            columns: [
                .init("upfront", "upfront"), .init("monthly", "monthly"), .init("total", "12 x monthly"), .init("surcharge", "surcharge"),
                .init("monthsToUpfront", "months to reach upfront"),
            ],
            rows: [[amount(upfront), amount(monthly), amount(total), .share(surcharge), .count(monthsToUpfront)]])
    }

    private var months: ReportTable {
        let rows = (1...CommitmentCalculation.periods).map { month -> [ReportTable.Cell] in
            let kept = kept(refundingMonth: month)
            return [
                .count(month), amount(monthly), amount(kept), amount(lost(refundingMonth: month)), amount(kept - upfront),
            ]
        }
        return ReportTable(
            "months", "Where the running month is refunded in full",
            columns: [
                .init("month", "month"), .init("refunded", "refunded"), .init("kept", "kept of earlier months"),
                .init("paymentsLost", "payments that will not come"), .init("againstUpfront", "kept, against upfront"),
            ], rows: rows)
    }

    private func amount(_ milliunits: Int64) -> ReportTable.Cell { .text(DecimalText.money(milliunits)) }

    private var notes: [String] {
        var notes = [
            "A refund of the running month ends the commitment; a refund of an earlier month takes back that month alone and the rest goes on.",
            "List prices: Apple's share and taxes are not taken out. A refund of the upfront plan gives back the whole price at any time in "
                + "the year, or a share of it where Apple prorates.",
        ]
        if total < upfront || total * 2 > upfront * 3 {
            notes.append(
                "Third parties report that Apple takes 12 x monthly only between the upfront price and 1.5 times that; this is outside.")
        }
        return notes
    }
}
