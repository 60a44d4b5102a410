import Server

// What is made of the table itself.
extension Command {
    static let completion = Command(
        name: "completion", summary: "prints a script with which a shell completes commands, options and values",
        operands: "bash|zsh|fish", maximumOperands: 1
    ) { arguments, console in
        guard let name = arguments.operands.first else { throw UsageError(message: "name the shell: bash, zsh or fish") }
        guard let shell = Shell(rawValue: name) else { throw UsageError(message: "there is none for \"\(name)\": bash, zsh or fish") }
        console.print(shell.completion(of: Command.all))
        return .done
    }

    static let manual = Command(name: "manual", summary: "prints the manual page") { _, console in
        console.print(ManualPage(Command.all).text)
        return .done
    }
}
