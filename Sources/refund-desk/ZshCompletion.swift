/// Writes zsh's completion function.
struct ZshCompletion {
    let commands: [Command]

    var script: String {
        """
        #compdef refund-desk
        # zsh completion of refund-desk, written by `refund-desk completion zsh`

        _refund-desk() {
            local -a words_here
            if ((CURRENT == 2)); then
                words_here=(
        \(first.joined(separator: "\n"))
                )
                _describe -t commands command words_here
                return
            fi
            local command=$words[2]
            case $command in
        \(families.joined(separator: "\n"))
            esac
            # What is before the options is the command.
            shift words
            ((CURRENT--))
            if [[ $command == *' '* ]]; then
                shift words
                ((CURRENT--))
            fi
            case $command in
        \(commands.map(row).joined(separator: "\n"))
            esac
        }

        if [[ $funcstack[1] == _refund-desk ]]; then
            _refund-desk "$@"
        else
            compdef _refund-desk refund-desk
        fi
        """
    }

    private var first: [String] {
        Command.families(of: commands).map { family in
            let summary = family.members.count == 1 ? family.members[0].summary : family.members.map(\.name).joined(separator: ", ")
            return "            " + Shell.quoted("\(family.word):\(escaped(summary))")
        }
    }

    private var families: [String] {
        Command.families(of: commands).filter { $0.members.contains { $0.words.count > 1 } }.map { family in
            let rows = family.members.map { Shell.quoted("\($0.words.last ?? ""):\(escaped($0.summary))") }
            return """
                        \(family.word))
                            if ((CURRENT == 3)); then
                                words_here=(\(rows.joined(separator: " ")))
                                _describe -t commands command words_here
                                return
                            fi
                            command="$command $words[3]"
                            ;;
                """
        }
    }

    private func row(_ command: Command) -> String {
        var words = command.options.map { option in
            let star = option.mayRepeat ? "*" : ""
            let value = option.value.map { ":\(escaped($0)):\(action(option.offer))" } ?? ""
            return Shell.quoted("\(star)--\(option.name)[\(escaped(option.help))]\(value)")
        }
        words.append("'--help[explains]'")
        if !command.operands.isEmpty { words.append(operand(command)) }
        return "        '\(command.name)') _arguments \(words.joined(separator: " ")) ;;"
    }

    private func operand(_ command: Command) -> String {
        if command.takesScenario { return "\"1:scenario:(list $(refund-desk simulate list 2>/dev/null | cut -d ' ' -f 1))\"" }
        return Shell.quoted("\(command.maximumOperands > 1 ? "*" : "1"):operand:\(action(command.operandOffer))")
    }

    private func action(_ offer: Option.Offer) -> String {
        switch offer {
        case .nothing: " "
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// In a description colons end it and brackets close it.
    private func escaped(_ text: String) -> String {
        text.replacing(":", with: "\\:").replacing("[", with: "\\[").replacing("]", with: "\\]")
    }
}
