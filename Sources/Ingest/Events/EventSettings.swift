import Domain
import Store

/// Who hears of changes, and how what they hear is written.
package struct EventSettings: Sendable {
    package var targets: [WebhookTarget]
    /// Writes the body, once per event: it never changes between tries.
    package var render: @Sendable (DeskEvent) -> [UInt8]
    /// A new event's id.
    package var makeID: @Sendable () -> String

    package init(
        targets: [WebhookTarget], render: @escaping @Sendable (DeskEvent) -> [UInt8], makeID: @escaping @Sendable () -> String
    ) {
        self.targets = targets
        self.render = render
        self.makeID = makeID
    }
}

/// One receiver of webhooks.
package struct WebhookTarget: Sendable, Hashable {
    /// Names the receiver in the outbox; stable while the configuration is.
    package var id: String
    /// As it may be shown: without secrets.
    package var url: String
    /// Types; `*` at the end stands for any rest.
    package var events: [String]
    package var environments: Set<Environment>

    package init(id: String, url: String, events: [String], environments: Set<Environment>) {
        self.id = id
        self.url = url
        self.events = events
        self.environments = environments
    }

    package func wants(_ type: String, _ environment: Environment) -> Bool {
        environments.contains(environment)
            && events.contains { $0.last == "*" ? type.utf8.starts(with: $0.utf8.dropLast()) : $0 == type }
    }
}

/// Something that changed, with the full resulting state.
package struct DeskEvent: Sendable {
    package var type: String
    package var id: String
    /// Rises per customer; 0 where no customer is concerned.
    package var sequence: Int64
    package var at: Timestamp
    package var ledger: Ledger
    package var subject: EventSubject
    package var aliases: [Alias]
    package var userID: UserID?
    /// The customer's whole state; nil where no customer is concerned.
    package var customer: CustomerAccess?
}

/// What an event is about.
package struct EventSubject: Sendable {
    package var transactionID: TransactionID?
    package var originalTransactionID: TransactionID?
    package var productID: ProductID?
    package var isCurrentPeriod: Bool?
    package var access: Access?
    package var file: CaseFile?
    package var commitment: CommitmentProgress?
    package var seats: Seats?
    package var notification: NotificationFact?
}
