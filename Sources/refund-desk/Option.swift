/// What a command takes on its line.
struct Option: Sendable {
    var name: String
    /// What stands for its value in the help; nil for a switch.
    var value: String?
    var help: String
    var isRequired = false
    var mayRepeat = false
    /// The values there are; empty where they are without number.
    var words: [String] = []

    /// As one types it.
    var form: String { "--\(name)\(value.map { " \($0)" } ?? "")" }

    /// What a shell offers as its value.
    enum Offer: Equatable { case nothing, files, folders, words([String]) }

    var offer: Offer {
        if !words.isEmpty { return .words(words) }
        return switch (name, value) {
        case ("environment", _): .words(["Production", "Sandbox"])
        case ("scope", _): .words(["read", "write", "admin"])
        case ("format", _): .words(["table", "csv", "json"])
        case ("kind", _): .words(["summary", "event", "subscriber"])
        case ("zone", _): .words(["UTC", "Pacific"])
        case (_, "FILE"), (_, "PEM"): .files
        case (_, "DIR"): .folders
        default: .nothing
        }
    }
}

/// Wrong usage: one line that names the fault and the remedy.
struct UsageError: Error {
    var message: String
}
