/// Writes fish's completion script.
struct FishCompletion {
    let commands: [Command]

    var script: String {
        (["# fish completion of refund-desk, written by `refund-desk completion fish`", "complete -c refund-desk -f"] + first + second
            + commands.flatMap(rows)).joined(separator: "\n")
    }

    private var first: [String] {
        Command.families(of: commands).map { family in
            let summary = family.members.count == 1 ? family.members[0].summary : family.members.map(\.name).joined(separator: ", ")
            return "complete -c refund-desk -n __fish_use_subcommand -a \(family.word) -d \(Shell.quoted(summary))"
        } + [
            "complete -c refund-desk -n __fish_use_subcommand -l version -d 'the version'", "complete -c refund-desk -l help -d 'explains'",
        ]
    }

    private var second: [String] {
        commands.filter { $0.words.count > 1 }.map { command in
            let condition = "__fish_seen_subcommand_from \(command.words[0]); and not __fish_seen_subcommand_from \(seconds(command))"
            return "complete -c refund-desk -n '\(condition)' -a \(command.words[1]) -d \(Shell.quoted(command.summary))"
        }
    }

    /// The second words of a command's family.
    private func seconds(_ command: Command) -> String {
        commands.filter { $0.words.count > 1 && $0.words[0] == command.words[0] }.map { $0.words[1] }.joined(separator: " ")
    }

    private func rows(of command: Command) -> [String] {
        let condition = "'" + command.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ") + "'"
        let options = command.options.map { option in
            "complete -c refund-desk -n \(condition) -l \(option.name)\(value(option)) -d \(Shell.quoted(option.help))"
        }
        let operand: String? =
            switch command.operandOffer {
            case .files: "-F"
            case .words(let words): "-a '\(words.joined(separator: " "))'"
            default: command.takesScenario ? "-a 'list (refund-desk simulate list 2>/dev/null | string split -f 1 \" \")'" : nil
            }
        return options + (operand.map { ["complete -c refund-desk -n \(condition) \($0)"] } ?? [])
    }

    private func value(_ option: Option) -> String {
        guard option.value != nil else { return "" }
        return switch option.offer {
        case .nothing: " -x"
        case .files: " -r -F"
        case .folders: " -x -a '(__fish_complete_directories)'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        }
    }
}
