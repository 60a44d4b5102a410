import Domain
import HTTPServer
import Ingest
import Store

/// What came of an act, as the page after it says; a word in its address.
enum ActOutcome: String, Sendable, CaseIterable {
    case answered, abstained
    case noSuchCase = "no-such-case"
    case alreadyAnswered = "already-answered"
    case windowClosed = "window-closed"
    case noConsent = "no-consent"
    case deliveryUnknown = "delivery-unknown"
    case illegalPreference = "illegal-preference"
    case unanswerable
    case redelivered
    case notRedelivered = "not-redelivered"
    case testArrived = "test-arrived"
    case testElsewhere = "test-elsewhere"
    case testUndeliverable = "test-undeliverable"
    case testPending = "test-pending"
    case testNoURL = "test-no-url"
    case testKeyRefused = "test-key-refused"
    case testUnreachable = "test-unreachable"

    init(_ refusal: PersonRefusal) {
        switch refusal {
        case .noSuchCase: self = .noSuchCase
        case .alreadyAnswered: self = .alreadyAnswered
        case .windowClosed: self = .windowClosed
        case .noConsent: self = .noConsent
        case .deliveryUnknown: self = .deliveryUnknown
        case .illegalPreference: self = .illegalPreference
        case .unanswerable: self = .unanswerable
        }
    }

    init(_ result: TestNotificationResult) {
        switch result {
        case .arrived: self = .testArrived
        case .elsewhere: self = .testElsewhere
        case .undeliverable: self = .testUndeliverable
        case .pending: self = .testPending
        case .noURL: self = .testNoURL
        case .keyRefused: self = .testKeyRefused
        case .unreachable: self = .testUnreachable
        }
    }

    var isGood: Bool { [.answered, .abstained, .redelivered, .testArrived].contains(self) }
}

/// What a person may choose for a held or open case, as the form says it.
enum PersonChoice: String, Sendable, CaseIterable {
    case decline = "DECLINE"
    case grantFull = "GRANT_FULL"
    case grantProrated = "GRANT_PRORATED"
    case dataOnly = "data-only"
    case abstain

    init(_ preference: RefundPreference?) {
        switch preference {
        case .decline: self = .decline
        case .grantFull: self = .grantFull
        case .grantProrated: self = .grantProrated
        case nil: self = .dataOnly
        }
    }

    fileprivate func put(to desk: OwnerDesk, _ id: TransactionID) throws(StoreError) -> Result<Void, PersonRefusal> {
        switch self {
        case .decline: try desk.answer(id, preferring: .decline)
        case .grantFull: try desk.answer(id, preferring: .grantFull)
        case .grantProrated: try desk.answer(id, preferring: .grantProrated)
        case .dataOnly: try desk.answer(id, preferring: nil)
        case .abstain: try desk.abstain(id)
        }
    }
}

extension Dashboard {
    /// A person decides the newest round: by the same checks as through the API, and on the trail by the token's name.
    func decide(_ id: TransactionID, _ form: FormBody, _ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let session = try frame.visit.acting()
        guard let app = frame.app, let choice = PersonChoice(rawValue: form["choice"]) else { throw .notFound }
        let (ledger, now) = (frame.ledger, frame.now)
        let result = try await write(touching: ledger.touching(id.rawValue)) { tx throws(StoreError) in
            try choice.put(to: OwnerDesk(app: app, ledger: ledger, tx: tx, now: now, actor: session.actor), id)
        }
        switch result {
        case .success: return said(choice == .abstain ? .abstained : .answered, form, frame.caseLink(id))
        case .failure(let refusal): return said(ActOutcome(refusal), form, frame.caseLink(id))
        }
    }

    /// Sends an event once more, as it was; whatever else was given up is taken up again.
    func redeliver(_ id: Int64, _ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let session = try frame.visit.acting()
        let (app, now) = (frame.ledger.app, frame.now)
        let isDone = try await write { tx throws(StoreError) -> Bool in
            guard let known = try tx.outboxEntry(id: id), known.row.ledger.app == app, known.row.state == .dead, known.row.kind != .answer
            else { return false }
            try tx.revive(id, at: now)
            let act = Act("dead work taken up again", "\(known.row.kind.rawValue) \(known.row.subject)")
            try AdministratorDesk(ledger: known.row.ledger, tx: tx, now: now, actor: session.actor).note(act)
            return true
        }
        return said(isDone ? .redelivered : .notRedelivered, FormBody(frame.visit.request), frame.link(.health))
    }

    /// Has Apple send a test notification.
    func sendTest(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let session = try frame.visit.acting()
        let (ledger, now) = (frame.ledger, frame.now)
        try await write { tx throws(StoreError) in
            let act = Act("test notification asked for", ledger.environment.rawValue)
            try AdministratorDesk(ledger: ledger, tx: tx, now: now, actor: session.actor).note(act)
        }
        let result = await settings.sendTest(ledger)
        return said(ActOutcome(result), FormBody(frame.visit.request), frame.link(.health))
    }

    /// Leads back to the page that the form stood on.
    private func said(_ outcome: ActOutcome, _ form: FormBody, _ otherwise: Link) -> HTTPResponse {
        let back = Dashboard.ownLink(form["back"])
        return .redirect(to: (back.segments.isEmpty ? otherwise : back).adding(outcome.isGood ? "done" : "refused", outcome.rawValue))
    }
}
