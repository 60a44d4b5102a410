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
        let candidates = Command.all.filter { words.starts(with: $0.name.split(separator: " ").map(String.init)) }
        guard let command = candidates.max(by: { $0.name.count < $1.name.count }) else {
            if let help = familyHelp(words) {
                console.print(help)
                return .done
            }
            console.error("refund-desk: unknown command \"\(words[0])\"; `refund-desk --help` lists them")
            return .usage
        }
        let rest = words.dropFirst(command.name.split(separator: " ").count)
        if rest.contains("--help") || rest.contains("-h") {
            console.print(command.help)
            return .done
        }
        do {
            return try await command.run(
                Arguments(rest, options: command.options, maximumOperands: command.maximumOperands), console)
        } catch let error as UsageError {
            console.error("refund-desk \(command.name): \(error.message)")
            return .usage
        } catch let fault as CommandFault {
            console.error("refund-desk \(command.name): \(fault.message)")
            return fault.exitCode
        } catch {
            console.error("refund-desk \(command.name): \(error)")
            return .usage
        }
    }

    /// `token --help` explains the commands that begin with `token`.
    private static func familyHelp(_ words: [String]) -> String? {
        let family = Command.all.filter { $0.name.hasPrefix(words[0] + " ") }
        guard !family.isEmpty, words.dropFirst().allSatisfy({ $0 == "--help" || $0 == "-h" }), words.count > 1 else { return nil }
        return family.map(\.help).joined(separator: "\n\n")
    }

    private static var overview: String {
        let width = Command.all.map(\.name.count).max() ?? 0
        let rows = Command.all.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)" }
        return """
            Refund Desk answers Apple's refund requests and keeps access right.

            usage: refund-desk COMMAND [options]

            commands:
            \(rows.joined(separator: "\n"))

            `refund-desk COMMAND --help` explains one of them. Exit codes: 0 done, 1 the thing asked about is not so, 2 wrong usage or
            configuration.
            """
    }
}
