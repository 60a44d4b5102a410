import Domain
import Synchronization

/// What is wrong around the desk at the moment: with Apple's API, the disk and the owner's receivers. It comes in spells; in between
/// nothing fails, so that what must succeed then can be demanded.
final class Weather: Sendable {
    enum Apple: String, Sendable, CaseIterable {
        case calm
        /// Connections are refused.
        case unreachable
        /// No answer within the time limit; some bodies are taken all the same.
        case hanging
        /// The call takes effect, and the answer is lost.
        case losesReplies
        case serverErrors
        case tooManyRequests
        /// The key is refused.
        case unauthorized
        /// All of these in turn.
        case mixed
        static let storms = allCases.filter { $0 != .calm }
    }
    enum Receiver: Sendable, CaseIterable { case calm, failing, hanging, losesReplies }
    /// What happens to one write.
    enum DiskFault: String, Sendable, CaseIterable {
        case before, midst
        /// It is committed, and the caller hears an error.
        case after
    }

    private struct State {
        var apple = Apple.calm
        var isDiskFull = false
        var receivers: [String: Receiver] = [:]
    }
    private let state = Mutex(State())
    private let dice: Dice

    init(_ dice: Dice) { self.dice = dice }

    /// Whether everything that the desk needs for answering works.
    var isCalm: Bool { state.withLock { $0.apple == .calm && !$0.isDiskFull } }

    func set(_ apple: Apple) { state.withLock { $0.apple = apple } }
    func set(diskFull: Bool) { state.withLock { $0.isDiskFull = diskFull } }
    func set(_ receiver: Receiver, of name: String) { state.withLock { $0.receivers[name] = receiver } }

    func clear() { state.withLock { $0 = State() } }

    /// What befalls one call of Apple's API; calm where it is spared.
    func appleFault() -> Apple {
        let apple = state.withLock { $0.apple }
        guard apple != .calm, dice.chance(90) else { return .calm }
        return apple == .mixed ? dice.pick(Apple.storms.filter { $0 != .mixed }) : apple
    }

    func receiverFault(_ name: String) -> Receiver {
        let receiver = state.withLock { $0.receivers[name] ?? .calm }
        return receiver != .calm && dice.chance(85) ? receiver : .calm
    }

    func diskFault() -> DiskFault? {
        guard state.withLock({ $0.isDiskFull }), dice.chance(90) else { return nil }
        return dice.pick(DiskFault.allCases)
    }
}
