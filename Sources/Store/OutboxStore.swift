import Domain

/// Work that leaves the machine, or a check that is due: performed at least once, each try under a lease.
package struct OutboxRow: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Send Consumption Information; the subject is the case, the payload its anchor.
        case answer
        /// A held round's time is up; subject and payload as above.
        case decide
        /// Half the window is gone; subject and payload as above.
        case deadlineNear
        /// The window closes; subject and payload as above.
        case windowCloses
        /// One event for one receiver; the subject is the event's id, the key the receiver, the payload the body.
        case webhook
        /// A body of Apple's for one place; the subject is the log entry's identity, the key the place.
        case forward
        case alert
        /// The clock alone changes a customer's access; the subject is the customer's number.
        case turn
        /// Get All Subscription Statuses for a chain whose truth may be stale.
        case confirmStatus
        /// Get Refund History for a customer; the subject is the id to ask with.
        case refundHistory
    }
    package enum State: String, Sendable, CaseIterable { case pending, done, dead }

    /// Where a row waits: its kind, and for the owner's own receivers each apart, so that one that hangs holds up no other.
    package struct Lane: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The lane of all rows of a kind that has one.
        package init(_ kind: Kind) { rawValue = kind.rawValue }

        /// The lane of one receiver.
        package init(_ kind: Kind, app: AppID, receiver: String) { rawValue = "\(kind.rawValue)/\(app)/\(receiver)" }
    }

    package var id: Int64 = 0
    package var kind: Kind
    package var ledger: Ledger
    /// What it is about: a transaction id, an event id.
    package var subject: String
    /// With kind, ledger and subject it makes a row unique: scheduling the same again changes nothing.
    package var key: String
    package var dueAt: Timestamp
    /// Tries begun so far, this one included once claimed.
    package var attempt: Int32 = 0
    package var payload: [UInt8]
    package var state: State = .pending
    package var createdAt: Timestamp

    package init(
        kind: Kind, ledger: Ledger, subject: String, key: String, dueAt: Timestamp, payload: [UInt8] = [], createdAt: Timestamp
    ) {
        self.kind = kind
        self.ledger = ledger
        self.subject = subject
        self.key = key
        self.dueAt = dueAt
        self.payload = payload
        self.createdAt = createdAt
    }
}

extension OutboxRow {
    package var lane: Lane {
        switch kind {
        case .webhook, .forward: Lane(kind, app: ledger.app, receiver: key)
        // The key of an alert ends in the name of the place it is for.
        case .alert: Lane(kind, app: ledger.app, receiver: key.split(separator: "/").last.map(String.init) ?? "")
        case .answer, .decide, .deadlineNear, .windowCloses, .turn, .confirmStatus, .refundHistory: Lane(kind)
        }
    }
}

/// Which rows of the outbox are wanted.
package struct OutboxQuery: Sendable {
    package var app: AppID
    /// nil lists both.
    package var environment: Environment?
    package var state: OutboxRow.State
    /// nil lists all.
    package var kind: OutboxRow.Kind?
    package var page: PageRequest

    package init(
        app: AppID, environment: Environment? = nil, state: OutboxRow.State, kind: OutboxRow.Kind? = nil, page: PageRequest = PageRequest()
    ) {
        self.app = app
        self.environment = environment
        self.state = state
        self.kind = kind
        self.page = page
    }
}

package protocol OutboxReading {
    /// When the next pending row of these lanes falls due (a lease counts until it ends); nil where there is none.
    func nextDue(in lanes: [OutboxRow.Lane]) throws(StoreError) -> Timestamp?
    func outboxRow(_ kind: OutboxRow.Kind, subject: String, key: String, in ledger: Ledger) throws(StoreError) -> OutboxRow?
    func outboxDepth() throws(StoreError) -> [OutboxRow.Kind: Int64]
    /// How many rows were given up: of one app in both environments, or of all.
    func outboxDead(of app: AppID?) throws(StoreError) -> [OutboxRow.Kind: Int64]
    /// Rows that wait or were given up, newest first.
    func outboxEntries(_ query: OutboxQuery) throws(StoreError) -> Page<EventDelivery>
    func outboxEntry(id: Int64) throws(StoreError) -> EventDelivery?
    /// What pending work of a lane is about, in one ledger, what is due first at the front.
    func pendingSubjects(in lane: OutboxRow.Lane, of ledger: Ledger, limit: Int) throws(StoreError) -> [String]
    /// How many rows of a lane are due and not done, of all apps; counts no further than the limit.
    func overdueCount(in lane: OutboxRow.Lane, at now: Timestamp, limit: Int) throws(StoreError) -> Int
}

package protocol OutboxWriting {
    /// Schedules work; where the same is pending already, only an earlier `dueAt` is taken over. Done and dead rows are revived only
    /// by ``reschedule(_:at:)``.
    func enqueue(_ row: OutboxRow) throws(StoreError)
    /// Leases due rows, the most overdue first, and counts the try.
    func claim(in lanes: [OutboxRow.Lane], limit: Int, at now: Timestamp, leaseUntil: Timestamp) throws(StoreError) -> [OutboxRow]
    /// Ends all leases at once, for a start where nobody else can hold one: what a process held that was killed need not wait.
    ///
    /// - Returns: How many there were.
    func releaseLeases(at now: Timestamp) throws(StoreError) -> Int
    /// Makes due now what is to be sent only after an instant: answers, webhooks, forwards and alerts. For a clock that was set back: what
    /// it scheduled while it ran ahead would wait until then. What falls due by the calendar, such as the close of a window, stays.
    ///
    /// - Returns: How many rows there were.
    func hasten(after latest: Timestamp, at now: Timestamp) throws(StoreError) -> Int
    /// Ends a row's work.
    func finish(_ id: Int64, state: OutboxRow.State, at now: Timestamp) throws(StoreError)
    /// Makes a row pending again.
    func reschedule(_ id: Int64, at due: Timestamp) throws(StoreError)
    /// Makes a row that was given up as new: pending, due now, with all its tries and days before it.
    func revive(_ id: Int64, at now: Timestamp) throws(StoreError)
    /// Ends what is pending of one kind about one subject, but for what is leased: that may be on its way, and whoever holds it, or takes
    /// it over when the lease has ended, puts on record what became of it.
    func cancel(_ kind: OutboxRow.Kind, subject: String, in ledger: Ledger, at now: Timestamp) throws(StoreError)
}
