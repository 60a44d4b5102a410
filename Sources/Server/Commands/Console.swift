import Crypto
import Foundation
import Synchronization

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
    /// Why a result could not be written: a disk that is full, say. What is cut off must not look like all there is.
    private final class Loss: Sendable {
        let reason = Mutex<String?>(nil)
    }
    private let loss = Loss()

    package init() {}

    /// To be called once, before anything else: the process ends by ``exit(_:)`` while threads of libraries may still be at work.
    package static func begin() -> Console {
        Libcrypto.keepUntilTheEnd()
        return Console()
    }

    package func print(_ text: String) {
        if let reason = write(text, to: .standardOutput) { loss.reason.withLock { $0 = $0 ?? reason } }
    }

    package func error(_ text: String) { _ = write(text, to: .standardError) }

    /// Whether a part of the result is lost, so that going on is in vain.
    var isCut: Bool { loss.reason.withLock { $0 != nil } }

    package func exit(_ code: ExitCode) -> Never {
        guard let reason = loss.reason.withLock({ $0 }) else { Foundation.exit(code.rawValue) }
        error("refund-desk: standard output: \(reason); what was written is not all")
        Foundation.exit(max(code.rawValue, ExitCode.notSo.rawValue))
    }

    /// Prints a value as JSON with sorted keys.
    func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// - Returns: Why it could not be written.
    private func write(_ text: String, to file: FileHandle) -> String? {
        do { try file.write(contentsOf: Data((text + "\n").utf8)) } catch { return error.localizedDescription }
        return nil
    }
}
