import Domain

/// What is known of a ledger's contact with Apple.
package struct LedgerContact: Hashable, Sendable {
    /// Why a look at the history did not come to its end.
    package struct Failure: Hashable, Sendable {
        package var at: Timestamp
        /// In words for the owner, with the remedy; no secrets.
        package var text: String

        package init(at: Timestamp, text: String) {
            self.at = at
            self.text = text
        }
    }
    /// One failed attempt of Apple to deliver a notification here.
    package struct SendFailure: Hashable, Sendable {
        /// When Apple tried.
        package var at: Timestamp
        /// Apple's `sendAttemptResult`, as it came.
        package var rawResult: String

        package init(at: Timestamp, rawResult: String) {
            self.at = at
            self.rawResult = rawResult
        }
    }
    /// The last good contact: whatever Apple sent before this instant is in the log, or was read from Apple's history and refused.
    /// It moves only when a look at the history that leaves no gap has come to its end; running alone proves nothing, since a
    /// proxy may turn Apple away. nil before the first look.
    package var completeUntil: Timestamp?
    /// When a look last came to its end.
    package var lookedAt: Timestamp?
    /// Why the newest look did not, in words for the owner; nil once one did.
    package var failure: Failure?
    /// The newest failed attempt that Apple's history told of.
    package var newestSendFailure: SendFailure?

    package init(
        completeUntil: Timestamp? = nil, lookedAt: Timestamp? = nil, failure: Failure? = nil,
        newestSendFailure: SendFailure? = nil
    ) {
        self.completeUntil = completeUntil
        self.lookedAt = lookedAt
        self.failure = failure
        self.newestSendFailure = newestSendFailure
    }
}

/// One reading of Apple's notification history, from its first page to its last: kept after each page, so that it goes on where it was.
package struct HistoryRead: Hashable, Sendable {
    /// Who reads: the server by itself, or a command. Each has one reading of a ledger at a time.
    package enum Reader: String, Sendable, CaseIterable { case server, command }

    /// What became of the items, each counted with its page.
    package struct Counts: Hashable, Sendable {
        package var seen: Int64 = 0
        package var new: Int64 = 0
        package var duplicates: Int64 = 0
        package var quarantined: Int64 = 0
        /// Items that can never be valid.
        package var refused: Int64 = 0
        /// Apple's failed attempts at delivering them.
        package var failedSends: Int64 = 0
        package init() {}
    }
    package var ledger: Ledger
    package var reader: Reader
    package var from: Timestamp
    package var to: Timestamp
    package var onlyFailures: Bool
    /// Whether its end makes the ledger complete until ``to``.
    package var completes: Bool
    /// Of the page to be read next; nil for the first.
    package var paginationToken: String?
    /// How often it had to begin again since a token was not taken.
    package var restarts: Int64 = 0
    package var pages: Int64 = 0
    package var counts = Counts()
    /// Failed attempts up to here were counted by earlier readings.
    package var failuresAfter: Timestamp?
    /// From when nothing was heard before this reading; nil where there was no outage.
    package var outageBegan: Timestamp?
    /// What remains to be asked after the last page; see the reader.
    package var followUp: String?
    package var endedAt: Timestamp?

    package init(
        ledger: Ledger, reader: Reader, from: Timestamp, to: Timestamp, onlyFailures: Bool, completes: Bool,
        failuresAfter: Timestamp? = nil, outageBegan: Timestamp? = nil
    ) {
        self.ledger = ledger
        self.reader = reader
        self.from = min(from, to)
        self.to = to
        self.onlyFailures = onlyFailures
        self.completes = completes
        self.failuresAfter = failuresAfter
        self.outageBegan = outageBegan
    }
}

package protocol CatchUpReading {
    /// nil before anything was heard of the ledger's history.
    func contact(of ledger: Ledger) throws(StoreError) -> LedgerContact?
    /// The newest reading, ended or not.
    func historyRead(_ reader: HistoryRead.Reader, of ledger: Ledger) throws(StoreError) -> HistoryRead?
    /// Where the refund history of a customer was left off; `anyTransactionID` is the id that Apple was asked with.
    func refundRevision(_ anyTransactionID: String, in ledger: Ledger) throws(StoreError) -> String?
}

package protocol CatchUpWriting {
    func put(_ contact: LedgerContact, of ledger: Ledger) throws(StoreError)
    /// Replaces the reader's earlier reading of the ledger.
    func put(_ read: HistoryRead) throws(StoreError)
    /// - Parameter revision: nil forgets it, so that reading begins anew.
    func setRefundRevision(_ revision: String?, of anyTransactionID: String, in ledger: Ledger, at now: Timestamp) throws(StoreError)
}
