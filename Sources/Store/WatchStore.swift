import Domain

/// What is looked at to tell whether all is as usual. Each call reads an index, however long the log is.
package protocol WatchReading {
    /// On how many purchases Apple asked for consumption data in `[from, to)`, by the requests' `signedDate`; repeats count once.
    func requestedPurchases(in ledger: Ledger, from: Timestamp, to: Timestamp) throws(StoreError) -> Int64
    /// When Apple signed the oldest known request; nil where there is none.
    func firstRequest(in ledger: Ledger) throws(StoreError) -> Timestamp?
    /// When Apple was last heard itself, not by asking for its history; nil where it never was.
    func lastArrival(in ledger: Ledger) throws(StoreError) -> Timestamp?
    /// Arrivals of Apple's own messages since an instant, oldest first: each the first after the one before and a span.
    func arrivals(in ledger: Ledger, since: Timestamp, apart: Span) throws(StoreError) -> [Timestamp]
    /// How many messages are set aside.
    func quarantinedCount(in ledger: Ledger) throws(StoreError) -> Int64
}
