import AppStore
import Domain
import Ingest
import Store

/// Apple's limits for one ledger, kept in the database: whoever works on the same database shares them, and a restart forgets nothing.
///
/// Where the database cannot be asked, it says so: each process then keeps to the whole limit by itself for as long as that lasts.
package final class SharedAllowance: CallAllowance {
    private let store: any Store
    private let ledger: Ledger

    package init(_ ledger: Ledger, in store: any Store) {
        self.store = store
        self.ledger = ledger
    }

    package func take(upTo count: Int, of family: ServerAPIPace.Family, at now: Timestamp) async -> [Timestamp]? {
        try? await change([family], at: now) { $0.reserve(upTo: count, at: now) }.first
    }

    package func giveBack(_ family: ServerAPIPace.Family) async {
        _ = try? await change([family], at: nil) { $0.giveBack() }
    }

    /// A refusal that cannot be kept is still known where it was heard, and the others will hear their own.
    package func close(_ families: [ServerAPIPace.Family], until instant: Timestamp, at now: Timestamp) async {
        _ = try? await change(families, at: now) { $0.close(until: instant, at: now) }
    }

    /// - Parameter now: nil where a bucket that was never used needs no change.
    private func change<Result: Sendable>(
        _ families: [ServerAPIPace.Family], at now: Timestamp?, _ body: @escaping @Sendable (inout TokenBucket) -> Result
    ) async throws(StoreError) -> [Result] {
        let ledger = ledger
        return try await store.write(touching: ledger.touching(families.map { "calls of \($0.rawValue)" })) { tx throws(StoreError) in
            var results: [Result] = []
            for family in families {
                let kept = try tx.callAllowance(family.rawValue, of: ledger)
                guard let asOf = kept?.asOf ?? now else { continue }
                var bucket = family.bucket(in: ledger.environment, at: asOf)
                if let kept { bucket = TokenBucket(kept, like: bucket) }
                results.append(body(&bucket))
                try tx.put(CallAllowanceRow(bucket, family), of: ledger)
            }
            return results
        }
    }
}

extension TokenBucket {
    fileprivate init(_ kept: CallAllowanceRow, like full: TokenBucket) {
        self.init(
            perSecond: full.rate, burst: full.burst, level: Double(kept.leftMillionths) / 1_000_000, asOf: kept.asOf,
            closedUntil: kept.closedUntil ?? full.closedUntil)
    }
}

extension CallAllowanceRow {
    fileprivate init(_ bucket: TokenBucket, _ family: ServerAPIPace.Family) {
        self.init(
            family: family.rawValue, leftMillionths: Int64((bucket.level * 1_000_000).rounded()), asOf: bucket.asOf,
            closedUntil: bucket.closedUntil.milliseconds == .min ? nil : bucket.closedUntil)
    }
}
