import Domain
import Foundation
import JSON5

extension ConfigurationPlace {
    /// A string, its `${NAME}` filled in.
    func text() -> String? {
        guard case .string(let raw) = node.value else { return refused("a string is expected, not \(node.value.kind)") }
        do throws(VariableText.Fault) { return try VariableText(raw: raw).filled(notes.variables) } catch { return refused(error.text) }
    }

    /// A string that says something.
    func filledText() -> String? {
        guard let text = text() else { return nil }
        guard text.contains(where: { !$0.isWhitespace }) else { return refused("must not be empty") }
        return text
    }

    /// One of a fixed set of words.
    func word<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> Word? where Word.RawValue == String {
        guard let text = text() else { return nil }
        if let word = Word(rawValue: text) { return word }
        return refused("unknown value \"\(text.prefix(40))\": \(NearestWord.advice(for: text, among: Word.allCases.map(\.rawValue)))")
    }

    /// A list of such words, none of them twice; an empty list says nothing and is a mistake.
    func words<Word: RawRepresentable & CaseIterable & Hashable>(_ type: Word.Type) -> Set<Word>? where Word.RawValue == String {
        guard let places = list() else { return nil }
        guard !places.isEmpty else { return refused("the list is empty: name at least one, or leave the key out") }
        var words: Set<Word> = []
        for place in places {
            guard let word = place.word(type) else { continue }
            if !words.insert(word).inserted { place.mistake("\"\(word.rawValue)\" stands twice in the list") }
        }
        return words
    }

    /// A URL with a host, exactly as written.
    func url(_ schemes: String...) -> String? {
        guard let text = text() else { return nil }
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), schemes.contains(scheme),
            let host = parts.host, !host.isEmpty, (parts.port.map { (1...65_535).contains($0) } ?? true)
        else {
            return refused("a URL that starts with \(schemes.map { $0 + "://" }.joined(separator: " or ")) and names a host is expected")
        }
        return text
    }

    /// A web address that paths are added to: no query, and comes back without a slash at its end.
    func baseURL() -> String? {
        guard let text = url("https", "http") else { return nil }
        guard !text.contains(where: { $0 == "?" || $0 == "#" }) else {
            return refused("paths are added to this URL: leave out what follows ? or #")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// A path, made absolute by the configuration's folder; the file is looked at after the reading.
    func file(_ role: ReferencedFile.Role) -> String? {
        guard let path = filledText().map(absolute) else { return nil }
        notes.files.append(ReferencedFile(path: path, role: role, key: self.path, line: node.line))
        return path
    }

    func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : notes.folder + (notes.folder.hasSuffix("/") ? "" : "/") + path }
}
