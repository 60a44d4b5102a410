import AppStoreSimulator
import Domain
import Synchronization

/// The one source of randomness of a world: everything that is drawn is drawn from its seed, in one order.
final class Dice: Sendable {
    private let source: Mutex<SplitMix64>

    init(seed: UInt64) { source = Mutex(SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1CE)) }

    /// True in `percent` of a hundred draws.
    func chance(_ percent: Int) -> Bool { source.withLock { $0.chance(percent) } }

    func pick<Choice: Sendable>(_ choices: [Choice]) -> Choice { source.withLock { $0.pick(choices) } }

    func int(_ range: ClosedRange<Int64>) -> Int64 { source.withLock { Int64.random(in: range, using: &$0) } }

    func span(_ shortest: Span, _ longest: Span) -> Span { Span(milliseconds: int(shortest.milliseconds...longest.milliseconds)) }

    /// From -1...1.
    func jitter() -> Double { Double(int(-1_000...1_000)) / 1_000 }

    func word() -> String { source.withLock { String($0.next(), radix: 36) } }

    func shuffled<Element: Sendable>(_ elements: [Element]) -> [Element] { source.withLock { elements.shuffled(using: &$0) } }
}
