/// What the owner's backend said about a customer's consent to send consumption data to Apple.
///
/// `ref` is whatever name the backend used: a UUID is an `appAccountToken`, anything else matches the alias that carries it.
package struct ConsentFact: Hashable, Sendable, Codable {
    package var ref: String
    package var consented: Bool
    package var source: String
    package var textVersion: String?
    package var at: Timestamp

    package init(ref: String, consented: Bool, source: String, textVersion: String?, at: Timestamp) {
        self.ref = ref
        self.consented = consented
        self.source = source
        self.textVersion = textVersion
        self.at = at
    }
}

/// Whether one purchase was delivered, as the owner recorded it.
package struct DeliveryFact: Hashable, Sendable, Codable {
    package var transactionID: TransactionID
    package var status: DeliveryStatus
    package var at: Timestamp

    package init(transactionID: TransactionID, status: DeliveryStatus, at: Timestamp) {
        self.transactionID = transactionID
        self.status = status
        self.at = at
    }
}

/// A span in which what was bought did not reach its buyers.
package struct Outage: Hashable, Sendable, Codable {
    package var from: Timestamp
    /// The first instant after it.
    package var to: Timestamp
    /// Never ``DeliveryStatus/delivered``.
    package var status: DeliveryStatus

    package init(from: Timestamp, to: Timestamp, status: DeliveryStatus) {
        self.from = from
        self.to = to
        self.status = status
    }

    package func covers(_ instant: Timestamp) -> Bool { from <= instant && instant < to }
}

/// All outages of one product that the owner records beside the configured ones; replaces those recorded before.
package struct OutagesFact: Hashable, Sendable, Codable {
    /// `*` is every product without a statement of its own in the configuration.
    package var productID: ProductID
    package var outages: [Outage]
    package var at: Timestamp

    package init(productID: ProductID, outages: [Outage], at: Timestamp) {
        self.productID = productID
        self.outages = outages
        self.at = at
    }
}

/// The owner's own id for the customer behind a purchase.
package struct UserLinkFact: Hashable, Sendable, Codable {
    package var originalTransactionID: TransactionID
    package var userID: UserID
    package var at: Timestamp

    package init(originalTransactionID: TransactionID, userID: UserID, at: Timestamp) {
        self.originalTransactionID = originalTransactionID
        self.userID = userID
        self.at = at
    }
}

/// So many units of a meter, used of one purchase or by one customer.
package struct UsageFact: Hashable, Sendable, Codable {
    package enum Subject: Hashable, Sendable, Codable {
        case transaction(TransactionID)
        /// A customer by any name, as in ``ConsentFact``.
        case customer(ref: String)
    }
    /// The owner's id of the event; a repeat under the same id counts once.
    package var id: String
    package var subject: Subject
    package var meter: String
    /// Millionths of a unit; negative as a correction.
    package var millionths: Int64
    package var at: Timestamp

    package init(id: String, subject: Subject, meter: String, millionths: Int64, at: Timestamp) {
        self.id = id
        self.subject = subject
        self.meter = meter
        self.millionths = millionths
        self.at = at
    }
}
