import Domain
import Foundation
import Synchronization

/// Writes one JSON object a line to standard error. Callers pass no secrets, no payloads and no bodies.
package final class Log: Sendable {
    package enum Level: String, Sendable { case info, warning, error }
    private let time: any Domain.Time
    private let output: Mutex<FileHandle>

    package init(time: any Domain.Time, output: FileHandle = .standardError) {
        self.time = time
        self.output = Mutex(output)
    }

    package func callAsFunction(_ level: Level, _ event: String, _ fields: [String: String] = [:]) {
        var line = fields
        line["level"] = level.rawValue
        line["event"] = event
        line["at"] = String(time.now().milliseconds)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var data = try? encoder.encode(line) else { return }
        data.append(0x0A)
        output.withLock { try? $0.write(contentsOf: data) }
    }
}
