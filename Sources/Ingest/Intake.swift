import AppStore
import Crypto
import Domain
import Store

/// A signed payload in; folded state, decisions and scheduled work out, in one transaction. Returns only after the commit.
///
/// Nothing here waits for anything outside the machine.
package final class Intake: Sendable {
    let store: any Store
    let verifiers: VerifierDirectory
    let apps: AppDirectory
    let time: any Time
    private let metrics: Metrics
    private let revocations: RevocationChecks?

    /// - Parameter revocations: Asks whether certificates are revoked, for the apps that want it.
    package init(
        store: any Store, verifiers: VerifierDirectory, apps: AppDirectory, time: any Time, metrics: Metrics,
        revocations: RevocationChecks? = nil
    ) {
        self.store = store
        self.verifiers = verifiers
        self.apps = apps
        self.time = time
        self.metrics = metrics
        self.revocations = revocations
    }

    /// Takes in what was posted to an app's notification URL, or came from the notification history.
    ///
    /// - Throws: ``IntakeFault``; ``IntakeFault/store(_:)`` and ``IntakeFault/revocationUnknown`` are worth a retry.
    package func receiveNotification(
        _ body: [UInt8], postedTo app: AppID, source: LogEntry.Source = .live
    ) async throws(IntakeFault) -> Receipt {
        try await receive(body, postedTo: app, source: source).receipt
    }

    /// The same, and where the message belongs and what it is about.
    package func receive(
        _ body: [UInt8], postedTo app: AppID, source: LogEntry.Source
    ) async throws(IntakeFault) -> ReceivedMessage {
        guard apps[app] != nil, let verifier = verifiers[app] else { throw .unknownApp }
        let now = time.now()
        let notification = try verified { () throws(VerificationError) in try verifier.verifyNotification(body: body, now: now.milliseconds)
        }
        if source == .live { try checkOnline(notification.paths, for: app, at: now) }
        let attribution = apps.attribute(notification)
        var message = SignedMessage(attribution, postedTo: app, kind: .notification, source: source, receivedAt: now, body: body)
        message.describe(notification)
        guard let fact = notification.fact else {
            throw .rejected(VerificationError(.malformed, "the notification has no signedDate"))
        }
        let receipt = try await take(message, .notification(fact))
        return ReceivedMessage(receipt: receipt, ledger: message.entry.ledger, transactionID: message.entry.transactionID)
    }

    /// Takes in a transaction by itself: from the app, or from one of Apple's histories.
    package func receiveTransaction(
        _ jws: String, postedTo app: AppID, source: LogEntry.Source = .client
    ) async throws(IntakeFault) -> Receipt {
        guard apps[app] != nil, let verifier = verifiers[app] else { throw .unknownApp }
        let now = time.now()
        let transaction = try verified { () throws(VerificationError) in
            try verifier.verifyTransaction(SignedPayload(jws), now: now.milliseconds)
        }
        if source == .client { try checkRevocation(of: transaction.paths, for: app) }
        let attribution = apps.attribute(transaction, now: now)
        var message = SignedMessage(
            attribution, postedTo: app, kind: .transaction, source: source, receivedAt: now, body: Array(jws.utf8))
        message.describe(transaction)
        return try await take(message, transaction.snapshot(notificationUUID: "").map(SignedFact.transaction))
    }

    private func verified<Value>(_ verify: () throws(VerificationError) -> Value) throws(IntakeFault) -> Value {
        do { return try verify() } catch {
            metrics.count("refund_desk_rejected_total", "code=\"\(error.code.rawValue)\"")
            throw .rejected(error)
        }
    }

    /// With online checks a live message must come from a chain that is valid now, not only when it says it was signed: else whoever
    /// holds the key of an expired leaf could choose the date.
    private func checkOnline(_ paths: [CertificatePath], for app: AppID, at now: Timestamp) throws(IntakeFault) {
        guard revocations != nil, apps[app]?.checksRevocation == true else { return }
        for path in paths where !path.validity.contains(now.milliseconds) {
            metrics.count("refund_desk_rejected_total", "code=\"expired-certificate\"")
            throw .rejected(VerificationError(.expiredCertificate, "a certificate of this live message is not valid now"))
        }
        try checkRevocation(of: paths, for: app)
    }

    /// Judges by what is known already; asking goes on in the background, and nobody waits for it.
    private func checkRevocation(of paths: [CertificatePath], for app: AppID) throws(IntakeFault) {
        guard let revocations, apps[app]?.checksRevocation == true else { return }
        switch revocations.standing(of: paths) {
        case .good: return
        case .revoked:
            metrics.count("refund_desk_rejected_total", "code=\"revoked\"")
            throw .rejected(VerificationError(.untrustedChain, "a certificate of the chain is revoked"))
        case .unknown:
            metrics.count("refund_desk_revocation_unknown_total")
            throw .revocationUnknown
        }
    }

    private func take(_ message: SignedMessage, _ fact: SignedFact?) async throws(IntakeFault) -> Receipt {
        let receipt: Receipt
        do {
            let names = message.entry.ledger.touching(fact?.touched ?? [])
            receipt = try await store.write(touching: names) { [apps] tx throws(StoreError) in
                var entry = message.entry
                entry.body = try StoredBody.encode(message.packed, tx)
                guard try tx.append(entry) != nil else { return .duplicate }
                let ledger = entry.ledger
                guard let app = apps[ledger.app] else { return .accepted }
                let clerk = IntakeClerk(app: app, ledger: ledger, tx: tx, now: entry.receivedAt)
                if let reason = message.quarantine {
                    try clerk.noticeQuarantine(reason, entry)
                    return .quarantined(reason)
                }
                if let fact { try clerk.apply(fact) }
                try clerk.forward(entry)
                return .accepted
            }
        } catch { throw .store(error) }
        count(receipt, message)
        return receipt
    }

    private func count(_ receipt: Receipt, _ message: SignedMessage) {
        let result =
            switch receipt {
            case .accepted: "accepted"
            case .duplicate: "duplicate"
            case .quarantined: "quarantined"
            }
        metrics.count("refund_desk_received_total", "result=\"\(result)\"", "source=\"\(message.entry.source.rawValue)\"")
        if case .quarantined(let reason) = receipt { metrics.count("refund_desk_quarantined_total", "reason=\"\(reason.rawValue)\"") }
        if message.isUnknown { metrics.count("refund_desk_unknown_type_total") }
    }
}

/// One verifier per app: real ones share Apple's root, simulated ones have roots of their own.
package struct VerifierDirectory: Sendable {
    private let byApp: [AppID: SignedPayloadVerifier]
    package init(_ byApp: [AppID: SignedPayloadVerifier]) { self.byApp = byApp }
    package subscript(_ app: AppID) -> SignedPayloadVerifier? { byApp[app] }
}

/// What is folded of a signed message.
enum SignedFact: Sendable {
    case notification(NotificationFact)
    case transaction(Snapshot<Transaction>)
    /// One row of Get All Subscription Statuses.
    case status(Snapshot<Transaction>, Snapshot<RenewalInfo>?)

    var transaction: Transaction? {
        switch self {
        case .notification(let notification): notification.transaction?.value
        case .transaction(let copy), .status(let copy, _): copy.value
        }
    }

    var renewal: RenewalInfo? {
        switch self {
        case .notification(let notification): notification.renewal?.value
        case .transaction: nil
        case .status(_, let renewal): renewal?.value
        }
    }
}

/// A verified message on its way into the log.
private struct SignedMessage: Sendable {
    var entry: LogEntry
    var packed: PackedBody
    var quarantine: QuarantineReason?
    var isUnknown = false

    init(
        _ attribution: Attribution, postedTo app: AppID, kind: LogEntry.Kind, source: LogEntry.Source, receivedAt: Timestamp,
        body: [UInt8]
    ) {
        let ledger: Ledger
        switch attribution {
        case .ledger(let own): ledger = own
        case .quarantine(let reason, let environment):
            ledger = Ledger(app: app, environment: environment ?? .production)
            quarantine = reason
        }
        entry = LogEntry(kind: kind, ledger: ledger, source: source, receivedAt: receivedAt, body: [])
        entry.result = quarantine == nil ? .accepted : .quarantined
        entry.reason = quarantine?.rawValue
        packed = PackedBody.pack(body)
    }

    mutating func describe(_ notification: VerifiedNotification) {
        identify(notification.notificationUUID)
        entry.rawNotificationType = notification.rawNotificationType
        entry.rawSubtype = notification.payload.rawSubtype
        entry.rawEnvironment = notification.claimedIdentity?.rawEnvironment
        entry.transactionID = notification.transaction?.payload.transactionId.map(TransactionID.init(_:))
        entry.signedDate = notification.jws.signedDateMilliseconds.map(Timestamp.init(milliseconds:))
        isUnknown = notification.fact?.isKnown == false
    }

    mutating func describe(_ transaction: Verified<JWSTransactionDecodedPayload>) {
        identify("sha256:" + hexadecimal(transaction.jws.payloadSHA256))
        entry.rawEnvironment = transaction.payload.rawEnvironment
        entry.transactionID = transaction.payload.transactionId.map(TransactionID.init(_:))
        entry.signedDate = transaction.jws.signedDateMilliseconds.map(Timestamp.init(milliseconds:))
    }

    /// What was set aside does not count as known, so that the same message is taken once it belongs to an app.
    private mutating func identify(_ identity: String) {
        entry.identity = quarantine == nil ? identity : LogEntry.quarantinedIdentity(identity)
    }
}

extension LogEntry {
    /// The identity under which a quarantined message is kept.
    package static func quarantinedIdentity(_ identity: String) -> String { "quarantined:" + identity }
}

/// Lower case, two digits a byte.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
