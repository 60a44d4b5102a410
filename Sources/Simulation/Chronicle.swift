import Crypto
import Domain
import Synchronization

/// The history of a world, line by line: equal seeds write equal chronicles, byte for byte.
final class Chronicle: Sendable {
    private struct State {
        var lines: [String] = []
        var breaches: [Breach] = []
        var counts: [String: Int] = [:]
    }
    private static let breachLimit = 20
    private let state = Mutex(State())
    private let time: VirtualTime

    init(_ time: VirtualTime) { self.time = time }

    func note(_ line: String) {
        let now = time.now().milliseconds
        state.withLock { $0.lines.append("\(now) \(line)") }
    }

    /// Counts something worth a figure.
    func count(_ name: String, _ number: Int = 1) { state.withLock { $0.counts[name, default: 0] += number } }

    func breach(_ promise: Promise, _ detail: String) {
        let now = time.now().milliseconds
        note("BREACH \(promise.rawValue): \(detail)")
        state.withLock { state in
            guard state.breaches.count < Self.breachLimit else { return }
            state.breaches.append(Breach(promise: promise, detail: detail, at: now))
        }
    }

    var lines: [String] { state.withLock { $0.lines } }
    var breaches: [Breach] { state.withLock { $0.breaches } }
    var counts: [String: Int] { state.withLock { $0.counts } }

    /// Of all lines.
    var digest: String {
        let text = Array(lines.joined(separator: "\n").utf8)
        return SHA256Digest.hash(text).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }
}
