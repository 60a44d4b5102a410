import Crypto
import Foundation

/// How a command ends.
package enum ExitCode: Int32, Sendable {
    case done = 0
    /// The thing asked about is not so: invalid, different, unhealthy.
    case notSo = 1
    /// Wrong usage or configuration.
    case usage = 2
}

/// Why a command stopped: one line that names the fault and the remedy.
package struct CommandFault: Error, Sendable {
    package var message: String
    package var exitCode: ExitCode

    init(_ message: String, _ exitCode: ExitCode = .usage) {
        self.message = message
        self.exitCode = exitCode
    }
}

/// Where a command prints: results on standard output, everything else on standard error.
package struct Console: Sendable {
    package init() {}

    /// To be called once, before anything else: the process ends by ``exit(_:)`` while threads of libraries may still be at work.
    package static func begin() -> Console {
        Libcrypto.keepUntilTheEnd()
        return Console()
    }

    package func print(_ text: String) { write(text, to: .standardOutput) }
    package func error(_ text: String) { write(text, to: .standardError) }
    package func exit(_ code: ExitCode) -> Never { Foundation.exit(code.rawValue) }

    /// Prints a value as JSON with sorted keys.
    func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    private func write(_ text: String, to file: FileHandle) { try? file.write(contentsOf: Data((text + "\n").utf8)) }
}
