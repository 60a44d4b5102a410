import Server

@main
struct RefundDesk {
    static func main() async {
        let console = Console.begin()
        let code = await run(Array(CommandLine.arguments.dropFirst()), console)
        console.exit(code)
    }

    static func run(_ words: [String], _ console: Console) async -> ExitCode {
        guard let name = words.first else {
            console.error(overview)
            return .usage
        }
        switch name {
        case "--help", "-h", "help":
            // `help token create` is `token create --help`.
            if name == "help", words.count > 1 { return await runCommand(words.dropFirst() + ["--help"], console) }
            console.print(overview)
            return .done
        case "--version", "version":
            console.print("refund-desk \(Version.current)")
            return .done
        default: return await runCommand(words, console)
        }
    }

    private static func runCommand(_ words: [String], _ console: Console) async -> ExitCode {
        // "token create" before "token": the longest name wins.
        let candidates = Command.all.filter { words.starts(with: $0.words) }
        guard let command = candidates.max(by: { $0.name.count < $1.name.count }) else {
            if let help = familyHelp(words) {
                console.print(help)
                return .done
            }
            console.error("refund-desk: \(unknown(words))")
            return .usage
        }
        let rest = words.dropFirst(command.words.count)
        if rest.contains("--help") || rest.contains("-h") {
            console.print(command.help)
            return .done
        }
        do {
            return try await command.run(
                Arguments(rest, options: command.options, maximumOperands: command.maximumOperands), console)
        } catch let error as UsageError {
            console.error("refund-desk \(command.name): \(error.message) (more: refund-desk \(command.name) --help)")
            return .usage
        } catch let fault as CommandFault {
            console.error("refund-desk \(command.name): \(fault.message)")
            return fault.exitCode
        } catch {
            console.error("refund-desk \(command.name): \(error)")
            return .usage
        }
    }

    /// Names the command that was meant, or the way to find it.
    private static func unknown(_ words: [String]) -> String {
        let family = Command.all.filter { $0.words.count > 1 && $0.words[0] == words[0] }
        let typed = words.prefix(family.isEmpty ? 1 : 2).joined(separator: " ")
        if typed == words[0], !family.isEmpty {
            return "\"\(typed)\" needs one more word: \(family.map(\.name).joined(separator: ", "))"
        }
        let names = family.isEmpty ? Command.all.map(\.name) + Set(Command.all.map { $0.words[0] }).sorted() : family.map(\.name)
        let advice = NearestWord.advice(for: typed, among: names, listing: false)
        return "unknown command \"\(typed)\"; \(advice.isEmpty ? "" : advice + " ")`refund-desk --help` lists all"
    }

    /// `token --help` explains the commands that begin with `token`.
    private static func familyHelp(_ words: [String]) -> String? {
        let family = Command.all.filter { $0.name.hasPrefix(words[0] + " ") }
        guard !family.isEmpty, words.dropFirst().allSatisfy({ $0 == "--help" || $0 == "-h" }), words.count > 1 else { return nil }
        return family.map(\.help).joined(separator: "\n\n")
    }

    private static var overview: String {
        """
        Refund Desk answers Apple's refund requests and keeps access right.

        usage: refund-desk COMMAND [options]

        commands:
        \(Command.columns(Command.all.map { ($0.name, $0.summary) }).joined(separator: "\n"))

        to begin:
          refund-desk demo                                 # look at it; nothing is kept
          refund-desk check-config --config desk.json5     # what is still wrong in a configuration
          refund-desk serve --config desk.json5
          refund-desk doctor --config desk.json5           # is everything as it must be?

        `refund-desk COMMAND --help` explains one of them, with examples. Results go to standard output, all else to standard error; --json
        prints a result for programs. Exit codes: 0 done, 1 the thing asked about is not so, 2 wrong usage or configuration.
        """
    }
}
