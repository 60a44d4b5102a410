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

    private struct Line: Encodable {
        var at: Int64
        var level: String
        var event: String
        var fields: [String: String]

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in fields { try container.encode(value, forKey: Key(name)) }
            try container.encode(at, forKey: Key("at"))
            try container.encode(level, forKey: Key("level"))
            try container.encode(event, forKey: Key("event"))
        }
    }

    package func callAsFunction(_ level: Level, _ event: String, _ fields: [String: String] = [:]) {
        let line = Line(at: time.now().milliseconds, level: level.rawValue, event: event, fields: fields)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var data = try? encoder.encode(line) else { return }
        data.append(0x0A)
        output.withLock { try? $0.write(contentsOf: data) }
    }
}
