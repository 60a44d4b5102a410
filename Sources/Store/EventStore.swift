import Domain

/// One try at delivering an event to a receiver of the owner's.
package struct DeliveryAttempt: Hashable, Sendable {
    package var outboxID: Int64
    package var at: Timestamp
    package var httpStatus: Int32?
    package var error: String?

    package init(outboxID: Int64, at: Timestamp, httpStatus: Int32? = nil, error: String? = nil) {
        self.outboxID = outboxID
        self.at = at
        self.httpStatus = httpStatus
        self.error = error
    }
}

/// An outbox row with all tries at its receiver, oldest first.
package struct EventDelivery: Hashable, Sendable {
    package var row: OutboxRow
    package var attempts: [DeliveryAttempt]

    package init(row: OutboxRow, attempts: [DeliveryAttempt]) {
        self.row = row
        self.attempts = attempts
    }
}

package protocol EventReading {
    /// When the customer's followers were last told; nil where they never were.
    func toldAt(_ customer: CustomerID) throws(StoreError) -> Timestamp?
    /// Deliveries of webhooks of an app, newest first; nil lists both environments.
    func eventDeliveries(of app: AppID, environment: Environment?, page: PageRequest) throws(StoreError) -> Page<EventDelivery>
    func eventDelivery(id: Int64) throws(StoreError) -> EventDelivery?
}

package protocol EventWriting {
    /// The next number of the customer's events; it only ever rises, also where customers are joined.
    func nextSequence(of customer: CustomerID) throws(StoreError) -> Int64
    func setTold(_ customer: CustomerID, at instant: Timestamp) throws(StoreError)
    func put(_ attempt: DeliveryAttempt) throws(StoreError)
}
