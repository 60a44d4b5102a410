/// A shell that completes command lines.
enum Shell: String {
    case bash, zsh, fish

    func completion(of commands: [Command]) -> String {
        switch self {
        case .bash: BashCompletion(commands: commands).script
        case .zsh: ZshCompletion(commands: commands).script
        case .fish: FishCompletion(commands: commands).script
        }
    }

    /// A text that every shell takes as it stands.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension Command {
    /// What a shell offers beside the options.
    var operandOffer: Option.Offer {
        if operands.contains("FILE") { return .files }
        // A list of words to choose from: `bash|zsh|fish`.
        if operands.contains("|"), operands == operands.lowercased() { return .words(operands.split(separator: "|").map(String.init)) }
        return .nothing
    }

    /// Whether its operand is one of the simulator's scenarios, which the program lists itself.
    var takesScenario: Bool { operands.hasPrefix("SCENARIO") }

    /// The words that begin a line, and those that may follow them: `token` and `create`, `list`, `revoke`.
    static func families(of commands: [Command]) -> [(word: String, members: [Command])] {
        var order: [String] = []
        var members: [String: [Command]] = [:]
        for command in commands {
            let word = command.words[0]
            if members[word] == nil { order.append(word) }
            members[word, default: []].append(command)
        }
        return order.map { ($0, members[$0] ?? []) }
    }
}
