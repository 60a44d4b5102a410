import Server

/// One command of the program.
struct Command: Sendable {
    var name: String
    var summary: String
    /// The operands, as the help shows them.
    var operands = ""
    var maximumOperands = 0
    var options: [Option] = []
    /// More words for the help.
    var discussion = ""
    var run: @Sendable (Arguments, Console) async throws -> ExitCode

    var words: [String] { name.split(separator: " ").map(String.init) }

    var usage: String {
        var words = ["refund-desk", name]
        if !operands.isEmpty { words.append(operands) }
        words += options.map { $0.isRequired ? $0.form : "[\($0.form)]\($0.mayRepeat ? "..." : "")" }
        return words.joined(separator: " ")
    }

    var help: String {
        var lines = ["usage: \(usage)", "", summary]
        if !discussion.isEmpty { lines += ["", discussion] }
        if !options.isEmpty { lines += ["", "options:"] + Command.columns(options.map { ($0.form, $0.help) }) }
        if !examples.isEmpty {
            lines += ["", "examples:"] + examples.flatMap { ["  # \($0.meaning)", "  \($0.line)"] }
        }
        return lines.joined(separator: "\n")
    }

    /// Rows of two columns, the first as wide as it has to be.
    static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
    }
}

extension Option {
    static let config = Option(name: "config", value: "FILE", help: "the desk's configuration (JSON5)", isRequired: true)
    static let app = Option(name: "app", value: "ID", help: "the app's id in the configuration", isRequired: true)
    static let environment = Option(name: "environment", value: "NAME", help: "Production (default) or Sandbox")
    static let json = Option(name: "json", help: "print the result as JSON")
    static let listen = Option(name: "listen", value: "HOST:PORT", help: "where to listen; port 0 takes a free one")
}
