import Domain

/// The listed face of a case; everything else is folded when it is read.
package struct CaseRow: Hashable, Sendable {
    package var transactionID: TransactionID
    package var originalTransactionID: TransactionID
    package var productID: ProductID?
    package var state: RefundCase.State
    /// The customer's reason in the newest round.
    package var rawReason: String?
    /// `signedDate` of the first event.
    package var openedAt: Timestamp
    /// Until when the newest round may be answered; nil without a round or once it is decided.
    package var deadline: Timestamp?

    package init(
        transactionID: TransactionID, originalTransactionID: TransactionID, productID: ProductID?, state: RefundCase.State,
        rawReason: String?, openedAt: Timestamp, deadline: Timestamp?
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.state = state
        self.rawReason = rawReason
        self.openedAt = openedAt
        self.deadline = deadline
    }
}

package struct CaseQuery: Sendable {
    package var ledger: Ledger
    package var state: RefundCase.State?
    /// Only of the chains of this customer of the ledger, in one query however many chains there are; nil means any.
    package var customer: CustomerID?
    package var productID: ProductID?
    package var rawReason: String?
    package var page: PageRequest

    package init(
        ledger: Ledger, state: RefundCase.State? = nil, customer: CustomerID? = nil, productID: ProductID? = nil, rawReason: String? = nil,
        page: PageRequest = PageRequest()
    ) {
        self.ledger = ledger
        self.state = state
        self.customer = customer
        self.productID = productID
        self.rawReason = rawReason
        self.page = page
    }
}

/// How often a customer came back for refunds, counted in cases.
package struct RefundCounts: Hashable, Sendable {
    /// Cases that were asked about.
    package var requested: Int
    /// Cases whose refund stands.
    package var granted: Int

    package init(requested: Int = 0, granted: Int = 0) {
        self.requested = requested
        self.granted = granted
    }
}

/// A decision with the request it was made for. Rounds are folded and may be numbered anew when an older request turns up, so what
/// the desk did hangs on the request's `notificationUUID`, its anchor.
package struct DecisionRecord: Hashable, Sendable, Codable {
    package var transactionID: TransactionID
    package var anchor: NotificationUUID
    package var at: Timestamp
    package var decision: Decision
    /// nil where no policy was asked.
    package var basis: DecisionBasis?

    package init(
        transactionID: TransactionID, anchor: NotificationUUID, at: Timestamp, decision: Decision, basis: DecisionBasis? = nil
    ) {
        self.transactionID = transactionID
        self.anchor = anchor
        self.at = at
        self.decision = decision
        self.basis = basis
    }
}

/// The answer to one round: where it stands, and the body once it was fixed.
package struct AnswerRecord: Hashable, Sendable, Codable {
    package enum Status: String, Sendable, Codable, CaseIterable {
        case scheduled, retrying, accepted, failed, expired, cancelled
        /// Nothing more will be sent.
        package var isFinal: Bool { self != .scheduled && self != .retrying }
    }
    package var transactionID: TransactionID
    package var anchor: NotificationUUID
    package var status: Status
    /// The JSON text as sent; nil before the first try.
    package var body: String?
    /// Whether Apple may have taken the body without our knowing: then only the very same bytes may be sent again.
    package var isInDoubt: Bool
    package var at: Timestamp
    /// How the body's `consumptionPercentage` is known; nil where it has none, or where it follows from the delivery alone.
    package var percentageSource: Consumed.Source?

    package init(
        transactionID: TransactionID, anchor: NotificationUUID, status: Status, body: String? = nil, isInDoubt: Bool = false,
        at: Timestamp, percentageSource: Consumed.Source? = nil
    ) {
        self.transactionID = transactionID
        self.anchor = anchor
        self.status = status
        self.body = body
        self.isInDoubt = isInDoubt
        self.at = at
        self.percentageSource = percentageSource
    }
}

/// One try at sending an answer.
package struct AttemptRecord: Hashable, Sendable, Codable {
    package var transactionID: TransactionID
    package var anchor: NotificationUUID
    package var at: Timestamp
    package var httpStatus: Int32?
    package var errorCode: Int64?
    /// Apple's meaning and the remedy, in words.
    package var error: String?

    package init(
        transactionID: TransactionID, anchor: NotificationUUID, at: Timestamp, httpStatus: Int32? = nil, errorCode: Int64? = nil,
        error: String? = nil
    ) {
        self.transactionID = transactionID
        self.anchor = anchor
        self.at = at
        self.httpStatus = httpStatus
        self.errorCode = errorCode
        self.error = error
    }
}

package protocol CaseReading {
    /// In no particular order.
    func caseEvents(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [CaseEvent]
    func caseRow(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> CaseRow?
    /// Newest first, by ``CaseRow/openedAt``.
    func cases(_ query: CaseQuery) throws(StoreError) -> Page<CaseRow>
    /// Cases whose newest round is undecided and inside its window, the nearest deadline first.
    func casesInWindow(at now: Timestamp, in ledger: Ledger) throws(StoreError) -> [CaseRow]
    /// The same, a page at a time.
    func casesInWindow(at now: Timestamp, in ledger: Ledger, page: PageRequest) throws(StoreError) -> Page<CaseRow>
    /// The events of all cases of a customer, in one query; of each case in no particular order.
    func caseEvents(of customer: CustomerID) throws(StoreError) -> [TransactionID: [CaseEvent]]
    /// Customers who may have come back for refunds often enough, oldest first: with that many refunds that stand, or messages of
    /// requests (a round may have several), since the instant.
    func refundCandidates(
        granted: Int, requested: Int, since: Timestamp, in ledger: Ledger, page: PageRequest
    ) throws(StoreError) -> Page<CustomerID>
    /// Counts a customer's cases that were asked about, and that were refunded for good, in `[from, to)`: by when Apple signed the word
    /// of it, or the date of a refund that only the transaction shows.
    ///
    /// - Parameter excluded: A case that does not count.
    func refundCounts(
        of customer: CustomerID, from: Timestamp?, to: Timestamp?, without excluded: TransactionID?
    ) throws(StoreError) -> RefundCounts
    /// Oldest first.
    /// Without their bases.
    func decisions(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [DecisionRecord]
    /// The decisions of a ledger that a policy made, with their bases, oldest first.
    func judgedDecisions(in ledger: Ledger, since: Timestamp, page: PageRequest) throws(StoreError) -> Page<DecisionRecord>
    /// The newest of them, newest first, at once however many there are.
    func judgedDecisions(in ledger: Ledger, newest count: Int) throws(StoreError) -> [DecisionRecord]
    func answers(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [AnswerRecord]
    /// Oldest first.
    func attempts(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> [AttemptRecord]
}

package protocol CaseWriting {
    /// Keeps an event; the same `notificationUUID` again changes nothing.
    func put(_ event: CaseEvent, of id: TransactionID, in ledger: Ledger) throws(StoreError)
    func put(_ row: CaseRow, in ledger: Ledger) throws(StoreError)
    /// - Parameter sequence: The log entry's, which orders the records.
    func put(_ record: DecisionRecord, sequence: Int64, in ledger: Ledger) throws(StoreError)
    /// One answer per anchor; a later record replaces the earlier.
    func put(_ record: AnswerRecord, in ledger: Ledger) throws(StoreError)
    func put(_ record: AttemptRecord, sequence: Int64, in ledger: Ledger) throws(StoreError)
}
