import Foundation
import Synchronization

/// Whether a person looks at a stream, through something that understands more than lines.
enum Terminal {
    static func isOn(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }
}

/// A line on standard error that shows how far long work has come; nothing where that is no terminal.
final class ProgressBar: Sendable {
    private let label: String
    private let total: Int
    private let isShown = Terminal.isOn(STDERR_FILENO)
    private let done = Mutex(0)

    init(_ label: String, total: Int) {
        self.label = label
        self.total = max(total, 1)
    }

    func advance() {
        let count = done.withLock { done -> Int in
            done += 1
            return done
        }
        guard isShown, count % max(total / 100, 1) == 0 else { return }
        let filled = count * 40 / total
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 40 - min(filled, 40))
        write("\r\(label) [\(bar)] \(count * 100 / total) %")
    }

    func finish() { if isShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

/// The same for work whose end is not known: a line that counts.
final class ProgressCount: Sendable {
    private let label: String
    private let isShown = Terminal.isOn(STDERR_FILENO)
    private let done = Mutex(0)
    /// Counting shows every so many.
    private static let grain = 200

    init(_ label: String) { self.label = label }

    func advance(by count: Int = 1) {
        let (before, after) = done.withLock { done in
            done += count
            return (done - count, done)
        }
        if before == 0 || before / Self.grain != after / Self.grain { show("\(after)") }
    }

    func show(_ text: String) { if isShown { write("\r\u{1B}[K\(label): \(text)") } }

    func finish() { if isShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
