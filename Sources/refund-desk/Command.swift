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

    var usage: String {
        var words = ["refund-desk", name]
        if !operands.isEmpty { words.append(operands) }
        words += options.map { option in
            let word = "--\(option.name)\(option.value.map { " \($0)" } ?? "")"
            return option.isRequired ? word : "[\(word)]\(option.mayRepeat ? "..." : "")"
        }
        return words.joined(separator: " ")
    }

    var help: String {
        var lines = ["usage: \(usage)", "", summary]
        if !discussion.isEmpty { lines += ["", discussion] }
        if !options.isEmpty { lines += ["", "options:"] }
        let names = options.map { "--\($0.name)\($0.value.map { " \($0)" } ?? "")" }
        let width = names.map(\.count).max() ?? 0
        for (name, option) in zip(names, options) {
            lines.append("  \(name)\(String(repeating: " ", count: width - name.count))  \(option.help)")
        }
        return lines.joined(separator: "\n")
    }
}

extension Option {
    static let config = Option(name: "config", value: "FILE", help: "the desk's configuration (JSON5)", isRequired: true)
    static let app = Option(name: "app", value: "ID", help: "the app's id in the configuration", isRequired: true)
    static let environment = Option(name: "environment", value: "NAME", help: "Production (default) or Sandbox")
    static let json = Option(name: "json", help: "print the result as JSON")
    static let listen = Option(name: "listen", value: "HOST:PORT", help: "where to listen; port 0 takes a free one")
}
