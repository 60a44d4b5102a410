import Domain

/// By what the log finds a usage entry once it is old: when it was used, and a number that all events of one subject and meter share.
package struct UsagePlace: Hashable, Sendable {
    package var at: Timestamp
    /// Others may happen to share it.
    package var group: Int64

    package init(at: Timestamp, group: Int64) {
        self.at = at
        self.group = group
    }

    package init(_ fact: UsageFact) {
        // FNV-1a, the same in every process and for good: it stands in the database.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in [fact.subject.kind, fact.subject.text, fact.meter].joined(separator: "\u{0}").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        self.init(at: fact.at, group: Int64(bitPattern: hash))
    }
}

/// Which usage entries of a ledger are wanted.
package enum UsageSpan: Sendable {
    /// Those behind a place and before an instant, in the order of their places.
    case behind(UsagePlace?, before: Timestamp)
    /// All of one place.
    case at(UsagePlace)
    /// Those that an older version wrote, without a place.
    case unplaced
}

package protocol RetentionReading {
    /// Signed entries received before an instant whose bodies are whole, oldest first; none that waits to be forwarded as it came.
    func wholeEntries(in ledger: Ledger, before instant: Timestamp, limit: Int) throws(StoreError) -> [LogEntry]
    /// Usage entries that were not forgotten, with their places.
    func usageEntries(in ledger: Ledger, _ span: UsageSpan, limit: Int) throws(StoreError) -> [LogEntry]
    /// Before when usage of a subject was removed; nil where it never was.
    func usageRemoved(of subject: UsageFact.Subject, in ledger: Ledger) throws(StoreError) -> Timestamp?
    /// The same over all names of a customer.
    func usageRemoved(of customer: CustomerID) throws(StoreError) -> Timestamp?
}

package protocol RetentionWriting {
    /// Puts the reduced body in place of an entry's.
    func reduce(_ sequence: Int64, receivedAt: Timestamp, to body: [UInt8], at now: Timestamp) throws(StoreError)
    func setPlace(_ place: UsagePlace, ofEntry sequence: Int64) throws(StoreError)
    /// Takes events out of the log and out of every sum.
    ///
    /// - Parameter events: Of a subject, a meter and an instant all or none.
    func removeUsage(_ events: [(sequence: Int64, fact: UsageFact)], in ledger: Ledger) throws(StoreError)
    /// Notes that usage of a subject before an instant is not known any more.
    func noteUsageRemoved(of subject: UsageFact.Subject, before instant: Timestamp, in ledger: Ledger) throws(StoreError)
    /// Removes rows whose work ended well before an instant, with their tries. Alerts stay: each is told once for good.
    ///
    /// - Returns: How many rows.
    func purgeOutbox(endedBefore instant: Timestamp, limit: Int) throws(StoreError) -> Int
}

/// What is taken out of the sums at once: of one subject and meter, at one instant.
package struct UsageSlice: Hashable, Sendable {
    package var subject: UsageFact.Subject
    package var meter: String
    package var at: Timestamp

    package init(_ fact: UsageFact, in resolution: UsageResolution) {
        (subject, meter, at) = (fact.subject, fact.meter, resolution.start(of: fact.at))
    }

    /// What each slice adds up to, in the sums of a resolution: by the slice that begins where such a sum begins.
    package static func sums(of facts: [UsageFact], in resolution: UsageResolution) -> [UsageSlice: Int64] {
        var sums: [UsageSlice: Int64] = [:]
        for fact in facts {
            let slice = UsageSlice(fact, in: resolution)
            sums[slice] = saturatingSum(sums[slice] ?? 0, fact.millionths)
        }
        return sums
    }
}
