import Domain
import Store

extension Store {
    /// What Apple's history told of failed attempts at delivering to a ledger within the last day; nil where there was none.
    package func failedSends(of ledger: Ledger, at now: Timestamp) async -> FailedSends? {
        let known = try? await read { tx throws(StoreError) in
            (failure: try tx.contact(of: ledger)?.newestSendFailure, read: try tx.historyRead(.server, of: ledger))
        }
        guard let failure = known?.failure, failure.at > now - .days(1) else { return nil }
        // A look after that in which all went well has none to count.
        return FailedSends(count: Int(max(known?.read?.counts.failedSends ?? 1, 1)), rawResult: failure.rawResult)
    }
}
