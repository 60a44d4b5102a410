import Domain
import JSON5

/// What came of reading a configuration: with every mistake, not only the first.
package struct ConfigurationReading: Sendable {
    /// nil where there are mistakes.
    package var configuration: Configuration?
    package var mistakes: [ConfigurationMistake]
    /// What works, but hardly as meant.
    package var warnings: [ConfigurationMistake]
    package var files: [ReferencedFile]
}

extension ConfigurationReading {
    /// Reads a configuration without touching a file; see ``init(file:variables:)`` for the whole check.
    ///
    /// - Parameters:
    ///   - folder: Where relative paths start.
    ///   - variables: What `${NAME}` stands for.
    package init(of bytes: [UInt8], folder: String, variables: [String: String]) {
        let notes = ReadingNotes(folder: folder, variables: variables)
        let configuration = notes.root(of: bytes)?.configuration()
        self.configuration = notes.mistakes.isEmpty ? configuration : nil
        mistakes = notes.mistakes.inOrder
        warnings = notes.warnings.inOrder
        files = notes.files
    }
}

/// What came of reading a file that holds a policy alone.
package struct PolicyReading: Sendable {
    /// nil where there are mistakes.
    package var policy: Policy?
    package var mistakes: [ConfigurationMistake]
    package var warnings: [ConfigurationMistake]

    package init(of bytes: [UInt8], variables: [String: String]) {
        let notes = ReadingNotes(folder: "", variables: variables)
        let policy = notes.root(of: bytes)?.policy()
        self.policy = notes.mistakes.isEmpty ? policy : nil
        mistakes = notes.mistakes.inOrder
        warnings = notes.warnings.inOrder
    }
}

/// What a reading gathers on its way through one text.
final class ReadingNotes {
    let folder: String
    let variables: [String: String]
    var mistakes: [ConfigurationMistake] = []
    var warnings: [ConfigurationMistake] = []
    var files: [ReferencedFile] = []

    init(folder: String, variables: [String: String]) {
        self.folder = folder
        self.variables = variables
    }

    func root(of bytes: [UInt8]) -> ConfigurationPlace? {
        do {
            return ConfigurationPlace(node: try JSON5Node(parsing: bytes), path: "", notes: self)
        } catch {
            mistakes.append(ConfigurationMistake(path: "", line: error.line, message: "column \(error.column): \(error.message)"))
            return nil
        }
    }

    /// Notes each object whose value under the key an earlier one has already.
    func noteRepeats<Key: ConfigurationKey>(of key: Key, in objects: [(place: ConfigurationPlace, value: String?)]) {
        var first: [String: ConfigurationPlace] = [:]
        for (place, value) in objects {
            guard let value, let member = place.member(key.rawValue) else { continue }
            if let earlier = first[value] {
                member.mistake("\(earlier.path) on line \(earlier.node.line) has this value already: each needs its own")
            } else {
                first[value] = member
            }
        }
    }
}

extension [ConfigurationMistake] {
    /// By line; those of one line stay in the order they were found.
    fileprivate var inOrder: [ConfigurationMistake] { sorted { ($0.line ?? 0) < ($1.line ?? 0) } }
}
