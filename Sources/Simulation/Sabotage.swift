import Domain
import HTTPClient
import Ingest
import Outbox
import Store
import Synchronization

/// A deliberately broken desk, to prove that the checks see what they look for. It is made by putting a broken part around sound ones:
/// nothing in the product can be switched this way.
package enum Sabotage: String, Sendable, CaseIterable {
    case skipsTheConsentCheck, answersAfterTheWindow, dropsCommits, foldsByArrival, rebuildsBodiesInDoubt, renamesRepeatedWebhooks
    case givesUpAfterOneTry, sendsIllegalBodies, mixesEnvironments, neverCatchesUp, sendsWebhooksOnce, numbersWebhooksAlike
    case misreadsTheCatalogue, tellsNoEntitlements, turnsAwayTheSandbox, sendsAlertsOnce, changesForwards

    /// What must be found broken.
    package var promise: Promise {
        switch self {
        case .skipsTheConsentCheck: .noAnswerWithoutConsent
        case .answersAfterTheWindow: .noAnswerAfterTheWindow
        case .dropsCommits: .noAcknowledgedNotificationIsLost
        case .foldsByArrival: .orderDoesNotMatter
        case .rebuildsBodiesInDoubt: .oneBodyPerRound
        case .renamesRepeatedWebhooks: .webhooksRepeatTheSame
        case .givesUpAfterOneTry: .everyAnswerableRequestIsAnswered
        case .sendsIllegalBodies: .noIllegalBody
        case .mixesEnvironments: .environmentsNeverMix
        case .neverCatchesUp: .historyIsComplete
        case .sendsWebhooksOnce: .webhooksArriveAtLeastOnce
        case .numbersWebhooksAlike: .webhookSequenceRises
        case .misreadsTheCatalogue: .accessIsTrue
        case .tellsNoEntitlements: .followersKnowTheAccess
        case .turnsAwayTheSandbox: .workIsDone
        case .sendsAlertsOnce: .alertsArrive
        case .changesForwards: .forwardsArrive
        }
    }
}

/// What is broken about the store.
struct StoreSabotage: Sendable {
    let kind: Sabotage
    let dice: Dice
    /// Every transaction that there may be.
    let transactions: @Sendable (Environment) -> [TransactionID]

    /// - Returns: nil where the store is sound.
    init?(_ kind: Sabotage?, dice: Dice, transactions: @escaping @Sendable (Environment) -> [TransactionID]) {
        guard let kind, kind == .dropsCommits || kind == .foldsByArrival else { return nil }
        self.kind = kind
        self.dice = dice
        self.transactions = transactions
    }

    func dropsCommit() -> Bool { kind == .dropsCommits && dice.chance(3) }

    func perform<Result>(
        _ body: (any WriteTransaction) throws(StoreError) -> Result, _ tx: any WriteTransaction
    ) throws(StoreError) -> Result {
        guard kind == .foldsByArrival else { return try body(tx) }
        let ledgers = Environment.allCases.map { Ledger(app: SimulatedOwner.app, environment: $0) }
        var hidden: [(ledger: Ledger, purchase: Purchase)] = []
        for ledger in ledgers {
            for id in transactions(ledger.environment) {
                guard let purchase = try tx.purchase(id, in: ledger) else { continue }
                hidden.append((ledger, purchase))
                try tx.put(purchase.withoutPrecedence, in: ledger)
            }
        }
        let result = try body(tx)
        for (ledger, purchase) in hidden {
            let id = purchase.transaction.transactionID
            guard var now = try tx.purchase(id, in: ledger), now.newest.precedence == purchase.withoutPrecedence.newest.precedence else {
                continue
            }
            now.newest.precedence = purchase.newest.precedence
            try tx.put(now, in: ledger)
        }
        return result
    }
}

extension Purchase {
    /// As if its newest copy were the oldest of all, so that whichever comes next replaces it.
    fileprivate var withoutPrecedence: Purchase {
        var purchase = self
        purchase.newest.precedence = Precedence(signedDate: Timestamp(milliseconds: 0), notificationUUID: "", payloadSHA256: [])
        return purchase
    }
}

/// Sends once more when the window closes.
struct LateSender: OutboxHandler {
    let sound: RoundKeeper
    let store: any Store
    let apis: ServerAPIDirectory

    func perform(_ row: OutboxRow) async throws(StoreError) {
        if row.kind == .windowCloses, let api = apis[row.ledger] {
            let id = TransactionID(row.subject)
            let answer = try await store.read { tx throws(StoreError) in try tx.answers(id, in: row.ledger).last }
            if let body = answer?.body, answer?.status != .accepted {
                _ = await api.sendConsumptionInformation(transactionID: id, body: Array(body.utf8))
            }
        }
        try await sound.perform(row)
    }
}

/// Forgets that Apple may have taken a body.
struct ForgetfulSender: OutboxHandler {
    let sound: AnswerSender
    let store: any Store

    func perform(_ row: OutboxRow) async throws(StoreError) {
        try await store.write { tx throws(StoreError) in
            for var answer in try tx.answers(TransactionID(row.subject), in: row.ledger) where answer.isInDoubt {
                answer.isInDoubt = false
                try tx.put(answer, in: row.ledger)
            }
        }
        try await sound.perform(row)
    }
}

/// Never tries twice.
struct HastySender: OutboxHandler {
    let sound: any OutboxHandler
    let store: any Store
    let time: any Time

    func perform(_ row: OutboxRow) async throws(StoreError) {
        try await sound.perform(row)
        let now = time.now()
        try await store.write { tx throws(StoreError) in try tx.finish(row.id, state: .done, at: now) }
    }
}

/// Tells Apple of a share that was used, whatever was bought.
struct CarelessTransport: Transport {
    let sound: DeskTransport

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        var request = request
        if request.method == "PUT", let body = request.body {
            let text = String(decoding: body, as: UTF8.self)
            request.body = Array((text.dropLast() + #","consumptionPercentage":150000}"#).utf8)
        }
        return try await sound.send(request)
    }

    func send(_ mail: Mail) async throws(HTTPClientError) -> (reply: Int, words: String) { try await sound.send(mail) }
}

/// Passes a body on with its space rearranged: the same to whoever reads JSON.
struct RewritingTransport: Transport {
    let sound: DeskTransport
    let url: String

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        var request = request
        if request.url == url { request.body?.append(UInt8(ascii: "\n")) }
        return try await sound.send(request)
    }

    func send(_ mail: Mail) async throws(HTTPClientError) -> (reply: Int, words: String) { try await sound.send(mail) }
}

/// Gives a webhook a new id at each repeat.
struct RenamingSender: OutboxHandler {
    let sound: WebhookSender

    func perform(_ row: OutboxRow) async throws(StoreError) {
        var row = row
        if row.attempt > 1 { row.subject += "-\(row.attempt)" }
        try await sound.perform(row)
    }
}
