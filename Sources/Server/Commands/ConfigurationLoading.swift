import Foundation

extension Configuration {
    /// Reads a configuration for a command that needs a sound one.
    ///
    /// - Throws: ``CommandFault`` with the first mistake: its key, its line and its remedy.
    static func load(_ file: String, _ console: Console) throws(CommandFault) -> Configuration {
        let reading = ConfigurationReading(file: file, variables: ProcessInfo.processInfo.environment)
        for warning in reading.warnings { console.error("warning: \(file): \(warning)") }
        guard let configuration = reading.configuration else {
            let more = reading.mistakes.count > 1 ? " (and \(reading.mistakes.count - 1) more: see check-config)" : ""
            throw CommandFault("\(file): \(reading.mistakes.first.map { "\($0)" } ?? "unusable")\(more)")
        }
        return configuration
    }
}
