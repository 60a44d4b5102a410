import Foundation
import Synchronization

/// A line on standard error that shows how far long work has come; nothing where that is no terminal.
final class ProgressBar: Sendable {
    private let label: String
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1
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
    private let isShown = isatty(STDERR_FILENO) == 1

    init(_ label: String) { self.label = label }

    func show(_ text: String) { if isShown { write("\r\u{1B}[K\(label): \(text)") } }

    func finish() { if isShown { write("\r\u{1B}[K") } }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
