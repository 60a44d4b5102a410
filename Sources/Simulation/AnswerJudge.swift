import AppStoreSimulator
import Domain
import Synchronization

/// Watches every call that sends consumption data, and judges it by what the world knows to be true: the consents that were committed,
/// the requests and decisions that have reached the desk, and the bodies that Apple has seen.
final class AnswerJudge: Sendable {
    /// One call about a transaction.
    struct Sending: Sendable {
        var environment: Environment
        var transactionID: String
        /// The requests of the round that it was for.
        var requests: Set<String>
        var body: [UInt8]
        var at: Timestamp
        /// Whether Apple took it.
        var isTaken: Bool
        /// Whether the desk could not rule out that Apple took it.
        var isInDoubt: Bool
    }
    private struct Customer: Hashable {
        var environment: Environment
        var id: String
    }
    private struct State {
        var sendings: [Sending] = []
        var knownAt: [String: Timestamp] = [:]
        var consents: [Customer: Spells] = [:]
        /// Whether the desk's clock is behind, and where it has heard from Apple since that was so.
        var isBehind = false
        var isRight = true
        var knowsTime: Set<Environment> = []
    }
    private let state = Mutex(State())
    private let apple: SimulatedApple
    private let time: VirtualTime
    private let chronicle: Chronicle

    init(_ apple: SimulatedApple, _ time: VirtualTime, _ chronicle: Chronicle) {
        self.apple = apple
        self.time = time
        self.chronicle = chronicle
    }

    // MARK: What the desk has been told

    /// A signed message is in the desk's log.
    func noteKnown(_ uuid: String) {
        let now = time.now()
        state.withLock { $0.knownAt[uuid] = $0.knownAt[uuid] ?? now }
    }

    func knownAt(_ uuid: String) -> Timestamp? { state.withLock { $0.knownAt[uuid] } }

    /// A consent or its withdrawal is committed.
    func noteConsent(_ isGiven: Bool, of customer: String, _ environment: Environment) {
        let now = time.now()
        state.withLock { $0.consents[Customer(environment: environment, id: customer), default: Spells()].note(isGiven, at: now) }
    }

    /// The desk's clock was set, or a process began: what it knew of Apple's is worth nothing.
    func noteClock(_ offset: Span) {
        state.withLock { state in
            state.isBehind = offset.milliseconds < 0
            state.isRight = offset.milliseconds == 0
            state.knowsTime = []
        }
    }

    /// The desk has heard an answer of Apple's with its date.
    func noteDate(_ environment: Environment) { state.withLock { _ = $0.knowsTime.insert(environment) } }

    /// Whether a token has to be dated well: a clock that is off is trusted until Apple refuses one.
    func mustDateWell(_ environment: Environment) -> Bool { state.withLock { $0.isRight && $0.knowsTime.contains(environment) } }

    func consents(of customer: String, _ environment: Environment) -> Spells {
        state.withLock { $0.consents[Customer(environment: environment, id: customer)] ?? Spells() }
    }

    func sendings(about id: String, _ environment: Environment) -> [Sending] {
        state.withLock { $0.sendings.filter { $0.environment == environment && $0.transactionID == id } }
    }

    // MARK: Judging

    /// Judges a call when it leaves the desk.
    func judgeCall(about id: String, _ environment: Environment) {
        let now = time.now()
        let transaction = apple.see(environment) { $0.world.purchases[id]?.transaction }
        guard let transaction else {
            return chronicle.breach(
                .environmentsNeverMix, "an answer about \(id) went to \(environment.rawValue), which sold no such thing")
        }
        if !consents(of: transaction.appTransactionId ?? "", environment).isOpen {
            chronicle.breach(.noAnswerWithoutConsent, "transaction \(id) in \(environment.rawValue)")
        }
        guard let round = runningRound(of: id, environment) else {
            return chronicle.breach(.noAnswerAfterTheWindow, "nobody asked about \(id) in \(environment.rawValue)")
        }
        let isExcused = state.withLock { $0.isBehind && !$0.knowsTime.contains(environment) }
        if now >= round.deadline, !isExcused { chronicle.breach(.noAnswerAfterTheWindow, "\(id): sent \(now), deadline \(round.deadline)") }
        if round.isDecided { chronicle.breach(.noAnswerAfterTheWindow, "\(id): sent although the decision was known") }
    }

    /// Judges the bytes that reached Apple.
    func judgeBody(_ body: [UInt8], about id: String, _ environment: Environment, isTaken: Bool, isInDoubt: Bool) {
        let requests = runningRound(of: id, environment)?.requests ?? []
        let sending = Sending(
            environment: environment, transactionID: id, requests: requests, body: body, at: time.now(), isTaken: isTaken,
            isInDoubt: isInDoubt)
        let contradiction = state.withLock { state in
            defer { state.sendings.append(sending) }
            return state.sendings.first {
                $0.environment == environment && $0.transactionID == id && !$0.requests.isDisjoint(with: requests)
                    && ($0.isTaken || $0.isInDoubt) && $0.body != body
            }
        }
        guard let contradiction else { return }
        let (earlier, later) = (String(decoding: contradiction.body, as: UTF8.self), String(decoding: body, as: UTF8.self))
        chronicle.breach(.oneBodyPerRound, "\(id): \(later) after \(earlier)")
    }

    private struct KnownRound {
        var requests: Set<String>
        var deadline: Timestamp
        var isDecided = false
    }

    /// The newest round by what has reached the desk.
    private func runningRound(of id: String, _ environment: Environment) -> KnownRound? {
        let known = state.withLock { $0.knownAt }
        let words = apple.see(environment) { store in
            store.sent.map(\.notification).filter { $0.transaction?.transactionId == id && known[$0.notificationUUID] != nil }
        }
        var round: KnownRound?
        for word in words.sorted(by: { ($0.signedDate, $0.notificationUUID) < ($1.signedDate, $1.notificationUUID) }) {
            switch word.notificationType {
            case "CONSUMPTION_REQUEST":
                if let running = round, !running.isDecided, word.signedDate < running.deadline.milliseconds {
                    round?.requests.insert(word.notificationUUID)
                } else {
                    let deadline = Timestamp(milliseconds: word.signedDate) + environment.answerWindow
                    round = KnownRound(requests: [word.notificationUUID], deadline: deadline)
                }
            case "REFUND", "REFUND_DECLINED": round?.isDecided = true
            default: break
            }
        }
        return round
    }
}
