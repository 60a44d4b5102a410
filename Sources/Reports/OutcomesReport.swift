import Domain
import Store

/// What Apple decided, by what was sent to it.
package struct OutcomesReport: Hashable, Sendable {
    /// Rounds of one kind.
    package struct Rounds: Hashable, Sendable {
        package var name: String
        package var refunded: Int64 = 0
        package var declined: Int64 = 0
        package var undecided: Int64 = 0
        package var times = TimeHistogram()

        /// Of the decided ones.
        package var refundedShare: Share { Share(refunded, of: refunded + declined) }
        package var count: Int64 { refunded + declined + undecided }
    }
    /// Both sides of one rule's holdout.
    package struct Holdout: Hashable, Sendable {
        package var rule: String
        package var answered: Rounds
        package var heldOut: Rounds

        package var difference: ShareDifference { ShareDifference(answered.refundedShare, heldOut.refundedShare) }
        package var verdict: Verdict { difference.isDistinct.map { $0 ? .yes : .no } ?? .unknown }
    }
    /// Whether a difference can be told from chance.
    package enum Verdict: String, Sendable, CaseIterable { case yes, no, unknown }
    package var scope: ReportScope
    package var bySent: [Rounds]
    package var byRule: [Rounds]
    package var holdouts: [Holdout]
    package var all: Rounds
    package var cases: CaseSums

    package init(_ request: ReportRequest, _ tx: any ReadTransaction) throws(StoreError) {
        scope = request.scope
        let source = RoundSource(request: request, tx: tx)
        var bySent = try source.rounds(.round, ReportDimension.sent)
        try source.addTimes(to: &bySent)
        self.bySent = bySent
        byRule = try source.rounds(.round, ReportDimension.rule)
        let answered = try source.rounds(.arm, RoundFacts.Arm.answered.rawValue)
        let heldOut = try source.rounds(.arm, RoundFacts.Arm.heldOut.rawValue)
        holdouts = heldOut.map { held in
            Holdout(rule: held.name, answered: answered.first { $0.name == held.name } ?? Rounds(name: held.name), heldOut: held)
        }
        all = bySent.reduce(into: Rounds(name: ReportWord.all)) { $0.add($1) }
        let sums = try tx.caseSums(
            CaseSumQuery(ledger: request.ledger, basis: .requested, dimension: .storefront, span: request.span, byValue: false))
        cases = sums.reduce(into: CaseSums()) { $0 += $1.sums }
    }
}

extension OutcomesReport.Rounds {
    fileprivate mutating func add(_ more: Self) {
        refunded += more.refunded
        declined += more.declined
        undecided += more.undecided
        for (bucket, count) in more.times.counts { times.add(count, inBucket: bucket) }
    }

    fileprivate mutating func add(_ count: Int64, _ outcome: String) {
        switch Round.Outcome.Kind(rawValue: outcome) {
        case .refunded: refunded += count
        case .declined: declined += count
        case nil: undecided += count
        }
    }
}

private struct RoundSource {
    let request: ReportRequest
    let tx: any ReadTransaction

    func rounds(_ series: ReportSumKey.Series, _ dimension: String) throws(StoreError) -> [OutcomesReport.Rounds] {
        var found: [String: OutcomesReport.Rounds] = [:]
        for row in try rows(series, dimension) {
            found[row.value, default: OutcomesReport.Rounds(name: row.value)].add(row.sums.count, row.outcome)
        }
        return found.values.sorted { $0.name < $1.name }
    }

    func addTimes(to rounds: inout [OutcomesReport.Rounds]) throws(StoreError) {
        for row in try rows(.time, ReportDimension.sent) {
            guard let bucket = Int64(row.outcome), let index = rounds.firstIndex(where: { $0.name == row.value }) else { continue }
            rounds[index].times.add(row.sums.count, inBucket: bucket)
        }
    }

    private func rows(_ series: ReportSumKey.Series, _ dimension: String) throws(StoreError) -> [ReportSumRow] {
        try tx.reportSums(ReportSumQuery(ledger: request.ledger, series: series, dimension: dimension, span: request.span))
    }
}
