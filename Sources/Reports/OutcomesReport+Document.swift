import Domain
import Store

extension OutcomesReport {
    package var document: ReportDocument {
        ReportDocument(
            name: "outcomes", scope: scope, notes: holdouts.map(\.sentence) + notes,
            tables: [
                table(
                    "bySent", "Rounds by what was sent", key: .init("sent", "sent"), bySent + (bySent.count > 1 ? [all] : []), times: true),
                table("byRule", "Rounds by rule", key: .init("rule", "rule"), byRule, times: false), holdoutTable, course,
            ])
    }

    private func table(_ name: String, _ title: String, key: ReportTable.Column, _ rounds: [Rounds], times: Bool) -> ReportTable {
        var columns: [ReportTable.Column] = [
            key, .init("rounds", "rounds"), .init("refunded", "refunded"), .init("declined", "declined"),
            .init("undecided", "undecided"), .init("refundedShare", "refunded of decided"), .init("low", "95 % from"), .init("high", "to"),
        ]
        if times { columns += [.init("medianSeconds", "median time"), .init("p90Seconds", "90 % within")] }
        let rows = rounds.map { each -> [ReportTable.Cell] in
            let share = each.refundedShare
            let figures: [ReportTable.Cell] = [
                .text(each.name), .count(each.count), .count(each.refunded), .count(each.declined), .count(each.undecided),
                .share(share.value), .share(share.interval?.lowerBound), .share(share.interval?.upperBound),
            ]
            guard times else { return figures }
            return figures + [.seconds(each.times.quantile(percent: 50)), .seconds(each.times.quantile(percent: 90))]
        }
        return ReportTable(name, title, columns: columns, rows: rows)
    }

    private var holdoutTable: ReportTable {
        let columns: [ReportTable.Column] = [
            .init("rule", "rule"), .init("answeredDecided", "answered, decided"), .init("answeredShare", "refunded"),
            .init("heldOutDecided", "held out, decided"), .init("heldOutShare", "refunded"), .init("difference", "difference"),
            .init("low", "95 % from"), .init("high", "to"), .init("verdict", "told from chance"),
        ]
        let rows = holdouts.map { each -> [ReportTable.Cell] in
            let difference = each.difference
            return [
                .text(each.rule), .count(difference.first.total), .share(difference.first.value), .count(difference.second.total),
                .share(difference.second.value), .share(difference.value), .share(difference.interval?.lowerBound),
                .share(difference.interval?.upperBound), .text(each.verdict.rawValue),
            ]
        }
        return ReportTable("holdout", "Answered and held out, first rounds", columns: columns, rows: rows)
    }

    private var course: ReportTable {
        ReportTable(
            "course", "What became of the cases",
            columns: [
                .init("requests", "cases"), .init("askedAgain", "asked again"), .init("declinedThenRefunded", "declined, refunded later"),
                .init("medianSeconds", "median time"), .init("p90Seconds", "90 % within"),
            ],
            rows: [
                [
                    .count(cases.requests), .count(cases.askedAgain), .count(cases.declinedThenRefunded),
                    .seconds(all.times.quantile(percent: 50)), .seconds(all.times.quantile(percent: 90)),
                ]
            ])
    }

    private var notes: [String] {
        [
            "Rounds count on the day of their request. What was sent is what Apple accepted: a preference, the data alone, or nothing.",
            "Shares are of decided rounds, with Wilson's interval at 95 %. Those who got different answers were different cases: only the "
                + "holdout, drawn at random, compares like with like. There each case counts once, by its first round.",
            "Times run from the request to the signed decision; each is at most 3.2 % off. Apple need not send a word of declining, so "
                + "undecided rounds may be declined ones.",
        ]
    }
}

extension OutcomesReport.Holdout {
    /// What the comparison says, in words.
    package var sentence: String {
        let both =
            "Rule \"\(rule)\": \(words(difference.first)) of the answered and \(words(difference.second)) of those held out were refunded."
        guard let value = difference.value, let interval = difference.interval, let isDistinct = difference.isDistinct else {
            return both + " On one side nothing is decided yet, so nothing can be said."
        }
        let range = "\(points(interval.lowerBound)) to \(points(interval.upperBound))"
        let verdict =
            isDistinct
            ? "that is more than chance alone would show in 19 of 20 such comparisons."
            : "that cannot be told from chance\(interval.upperBound - interval.lowerBound > 0.2 ? "; more cases are needed." : ".")"
        return both + " The difference is \(points(value)) points (95 %: \(range)): " + verdict
    }

    private func words(_ share: Share) -> String {
        share.value.map { "\(DecimalText.percent($0)) % (\(share.successes) of \(share.total))" } ?? "none decided"
    }

    private func points(_ value: Double) -> String { (value > 0 ? "+" : "") + DecimalText.percent(value) }
}
