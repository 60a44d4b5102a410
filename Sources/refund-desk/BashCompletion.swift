/// Writes bash's completion script.
struct BashCompletion {
    let commands: [Command]

    var script: String {
        """
        # bash completion of refund-desk, written by `refund-desk completion bash`

        _refund_desk() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} first=2 offer=
            COMPREPLY=()
            if ((COMP_CWORD == 1)); then
                COMPREPLY=($(compgen -W '\(Command.families(of: commands).map(\.word).joined(separator: " ")) help --help --version' -- "$current"))
                return
            fi
            case $command in
        \(families.joined(separator: "\n"))
            esac
            ((COMP_CWORD < first)) && return
            case $previous in
        \(values.joined(separator: "\n"))
            esac
            case $command in
        \(rows.joined(separator: "\n"))
            esac
            if [[ $current == -* ]]; then
                COMPREPLY=($(compgen -W "$options --help" -- "$current"))
            elif [[ $offer == files ]]; then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
            else
                COMPREPLY=($(compgen -W "${offer:-$options --help}" -- "$current"))
            fi
        }
        complete -F _refund_desk refund-desk
        """
    }

    /// Where a command has two words, the second is offered first.
    private var families: [String] {
        Command.families(of: commands).filter { $0.members.contains { $0.words.count > 1 } }.map { family in
            let seconds = family.members.compactMap { $0.words.dropFirst().first }.joined(separator: " ")
            return """
                        \(family.word))
                            if ((COMP_CWORD == 2)); then
                                COMPREPLY=($(compgen -W '\(seconds) --help' -- "$current"))
                                return
                            fi
                            command="$command ${COMP_WORDS[2]}" first=3
                            ;;
                """
        }
    }

    /// What follows an option that takes a value; each name has one kind of value in all commands, if not the same words.
    private var values: [String] {
        let options = Dictionary(commands.flatMap(\.options).filter { $0.value != nil }.map { ($0.name, $0) }) { first, second in
            var both = first
            both.words += second.words.filter { !first.words.contains($0) }
            return both
        }
        return options.values.sorted { $0.name < $1.name }.map { option in
            let reply =
                switch option.offer {
                case .files: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"))"
                case .folders: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$current\"))"
                case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
                case .nothing: ":"
                }
            return "        --\(option.name)) \(reply); return ;;"
        }
    }

    private var rows: [String] {
        commands.map { command in
            let options = command.options.map { "--\($0.name)" }.joined(separator: " ")
            let offer =
                switch command.operandOffer {
                case .files: " offer=files"
                case .words(let words): " offer='\(words.joined(separator: " "))'"
                default: command.takesScenario ? " offer=\"list $(refund-desk simulate list 2>/dev/null | cut -d ' ' -f 1)\"" : ""
                }
            return "        '\(command.name)') local options='\(options)'\(offer) ;;"
        }
    }
}
