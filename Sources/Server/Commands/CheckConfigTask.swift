import Foundation

/// `check-config`: names each mistake with its key.
package struct CheckConfigTask: Sendable {
    let configFile: String
    let json: Bool

    package init(configFile: String, json: Bool) {
        self.configFile = configFile
        self.json = json
    }

    package func run(_ console: Console) throws -> ExitCode {
        let reading = ConfigurationReading(file: configFile, variables: ProcessInfo.processInfo.environment)
        let faults = reading.configuration.map(DeskCore.faultyFiles) ?? []
        let mistakes = reading.mistakes + faults.map { ConfigurationMistake(path: "", line: nil, message: $0.description) }
        return try Findings(mistakes: mistakes, warnings: reading.warnings).report(of: configFile, json: json, console)
    }
}

/// `policy check`: the same for a file that holds a policy alone.
package struct PolicyCheckTask: Sendable {
    let file: String
    let json: Bool

    package init(file: String, json: Bool) {
        self.file = file
        self.json = json
    }

    package func run(_ console: Console) throws -> ExitCode {
        guard let text = try? Data(contentsOf: URL(filePath: file)) else { throw CommandFault("\(file) cannot be read") }
        let reading = PolicyReading(of: Array(text), variables: ProcessInfo.processInfo.environment)
        return try Findings(mistakes: reading.mistakes, warnings: reading.warnings).report(of: file, json: json, console)
    }
}

/// What was found wrong or careless in a file.
private struct Findings: Encodable {
    struct Finding: Encodable {
        var path: String
        var line: Int?
        var message: String
    }
    var mistakes: [Finding]
    var warnings: [Finding]

    init(mistakes: [ConfigurationMistake], warnings: [ConfigurationMistake]) {
        self.mistakes = mistakes.map { Finding(path: $0.path, line: $0.line, message: $0.message) }
        self.warnings = warnings.map { Finding(path: $0.path, line: $0.line, message: $0.message) }
    }

    func report(of file: String, json: Bool, _ console: Console) throws -> ExitCode {
        if json {
            try console.print(json: self)
        } else {
            for (kind, findings) in [("mistake", mistakes), ("warning", warnings)] {
                for finding in findings {
                    console.print("\(kind): \(ConfigurationMistake(path: finding.path, line: finding.line, message: finding.message))")
                }
            }
            if mistakes.isEmpty { console.print("\(file): no mistakes") }
        }
        return mistakes.isEmpty ? .done : .notSo
    }
}
