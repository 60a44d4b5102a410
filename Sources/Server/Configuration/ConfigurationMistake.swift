/// One thing wrong in a configuration, for the person who wrote it.
package struct ConfigurationMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// As `apps[0].serverAPI.keyId`; empty for the file as a whole.
    package var path: String
    /// Counted from 1; nil where no line can be named.
    package var line: Int?
    /// What is wrong and what to do. Never holds a value that may be secret.
    package var message: String

    package init(path: String, line: Int?, message: String) {
        self.path = path
        self.line = line
        self.message = message
    }

    /// One line: `apps[0].serverAPI.keyId (line 12): …`.
    package var description: String {
        let place = [path, line.map { path.isEmpty ? "line \($0)" : "(line \($0))" } ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

/// A file that a configuration names, so that it can be looked at after the reading.
package struct ReferencedFile: Hashable, Sendable {
    package enum Role: Hashable, Sendable { case privateKey, certificate, databaseFolder }
    /// Absolute, if the configuration's own folder is.
    package var path: String
    package var role: Role
    /// Where the configuration names it.
    package var key: String
    package var line: Int
}
