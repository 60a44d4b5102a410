import Server

/// Writes the manual page, in the language of `man`.
struct ManualPage {
    let commands: [Command]

    init(_ commands: [Command]) { self.commands = commands }

    var text: String { (head + commands.flatMap(section) + tail).joined(separator: "\n") }

    private var head: [String] {
        [
            ".TH REFUND\\-DESK 1 \"\" \"refund\\-desk \(escaped(Version.current))\" \"Refund Desk\"",
            ".SH NAME", "refund\\-desk \\- answers App Store refund requests, and keeps access right",
            ".SH SYNOPSIS", ".B refund\\-desk", ".I COMMAND", "[options]",
            ".SH DESCRIPTION",
            "A self\\-hosted server for people who sell on the App Store. It receives App Store Server Notifications V2, answers each refund",
            "request that may be answered within Apple\\(aqs window, truthfully and only with the customer\\(aqs consent, and tells the owner\\(aqs",
            "backend when access begins, changes or ends.", ".PP",
            "Results go to standard output, logs and all else to standard error. With",
            ".B \\-\\-json", "a result is printed for programs.",
            ".SH COMMANDS",
        ]
    }

    private func section(of command: Command) -> [String] {
        var lines = [".SS \"\(escaped(command.usage))\"", sentence(command.summary)]
        if !command.discussion.isEmpty { lines += [".PP", escaped(command.discussion)] }
        for option in command.options { lines += [".TP", ".B \(escaped(option.form))", escaped(option.help)] }
        if !command.examples.isEmpty { lines.append(".PP") }
        for example in command.examples {
            lines += [sentence(example.meaning), ".PP", ".nf", escaped("    " + example.line), ".fi", ".PP"]
        }
        if lines.last == ".PP" { lines.removeLast() }
        return lines
    }

    private var tail: [String] {
        [
            ".SH EXIT STATUS", ".TP", ".B 0", "Done.", ".TP", ".B 1",
            "The thing asked about is not so: invalid, different, unhealthy, not to be had; or serve may succeed later.",
            ".TP", ".B 2", "Wrong usage or configuration; one line on standard error names the key or the option, and the remedy.",
            ".SH ENVIRONMENT", ".TP", ".B NO_COLOR",
            "Where it is set and not empty, nothing is coloured. Only terminals get colours at all.",
            ".PP", "Each \\(lq${NAME}\\(rq in a configuration is taken from the environment.",
            ".SH FILES", ".TP", ".I /etc/refund\\-desk/desk.json5", "The configuration of the service that the Debian package brings.",
            ".TP", ".I /var/lib/refund\\-desk", "Its database.",
        ]
    }

    private func sentence(_ text: String) -> String {
        let text = text.prefix(1).uppercased() + text.dropFirst()
        return escaped(text + (text.last.map { ".?!".contains($0) } == true ? "" : "."))
    }

    /// A line that begins with a point or a quote would be a request of the formatter.
    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq").replacing("`", with: "\\(ga")
            .split(separator: "\n", omittingEmptySubsequences: false).map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }.joined(separator: "\n")
    }
}
