import Domain
import Reports

/// What a report says in plain words.
extension PageFrame {
    func verdict(_ model: ReportModel) -> Node? {
        switch model.figures {
        case .outcomes(let report) where !report.holdouts.isEmpty:
            el("ul", [.class("notice")], .group(report.holdouts.map { el("li", [], .text(sentence($0))) }))
        case .prevention(let report):
            el("p", [.class(report.change == .risen ? "notice warn" : "notice")], .text(texts[report.change.phrase]))
        default: nil
        }
    }

    /// Whether answering changed what Apple decided, as far as can be told.
    private func sentence(_ holdout: OutcomesReport.Holdout) -> String {
        let difference = holdout.difference
        guard let value = difference.value, let interval = difference.interval, let isDistinct = difference.isDistinct,
            let answered = difference.first.value, let heldOut = difference.second.value
        else { return texts(.reportHoldoutOpen, ["rule": named(rule: holdout.rule)]) }
        return texts(
            isDistinct ? .reportHoldoutTold : .reportHoldoutUntold,
            [
                "rule": named(rule: holdout.rule), "answered": texts.share(answered), "heldout": texts.share(heldOut),
                "difference": texts.share(value), "low": texts.share(interval.lowerBound), "high": texts.share(interval.upperBound),
            ])
    }
}

extension PreventionReport.Change {
    fileprivate var phrase: Phrase {
        switch self {
        case .risen: .reportRateRisen
        case .fallen: .reportRateFallen
        case .same: .reportRateSame
        case .unknown: .reportRateUnknown
        }
    }
}
