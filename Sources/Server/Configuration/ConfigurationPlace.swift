import Domain
import JSON5

/// One value of the text under its path. Each method takes it as one type; a wrong value is noted as a mistake and gives nil.
struct ConfigurationPlace {
    let node: JSON5Node
    /// As `apps[0].products["com.example.a"].meter`.
    let path: String
    let notes: ReadingNotes

    func mistake(_ message: String) { notes.mistakes.append(ConfigurationMistake(path: path, line: node.line, message: message)) }
    func warn(_ message: String) { notes.warnings.append(ConfigurationMistake(path: path, line: node.line, message: message)) }

    /// Notes a mistake and gives nil, for the end of an expression.
    func refused<Value>(_ message: String) -> Value? {
        mistake(message)
        return nil
    }

    private func unexpected<Value>(_ expected: String) -> Value? { refused("\(expected) is expected, not \(node.value.kind)") }

    var isNull: Bool { node.value == .null }

    func bool() -> Bool? {
        guard case .bool(let value) = node.value else { return unexpected("true or false") }
        return value
    }

    func number() -> ExactDecimal? {
        guard case .number(let value) = node.value else { return unexpected("a number") }
        return ExactDecimal(significand: value.significand, exponent: value.exponent)
    }

    func wholeNumber(_ range: ClosedRange<Int64>) -> Int64? {
        guard let number = number() else { return nil }
        guard let value = number.wholeNumber, range.contains(value) else {
            return refused(
                range.upperBound == .max
                    ? "a whole number from \(range.lowerBound) is expected"
                    : "a whole number from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return value
    }

    func list() -> [ConfigurationPlace]? {
        guard case .array(let elements) = node.value else { return unexpected("a list in [ ]") }
        return elements.enumerated().map { ConfigurationPlace(node: $1, path: "\(path)[\($0)]", notes: notes) }
    }

    /// The members of an object whose keys the owner chooses.
    func members() -> [(key: String, place: ConfigurationPlace)]? {
        guard case .object(let members) = node.value else { return unexpected("an object in { }") }
        return members.map { ($0.key, place(of: $0)) }
    }

    /// One member of an object, if this is one and has it.
    func member(_ key: String) -> ConfigurationPlace? {
        guard case .object(let members) = node.value else { return nil }
        return members.first { $0.key == key }.map(place)
    }

    /// An object whose keys are known; each unknown one is noted as a mistake.
    func object<Key: ConfigurationKey>(_: Key.Type) -> ConfigurationObject<Key>? {
        guard case .object(let members) = node.value else { return unexpected("an object in { }") }
        let known = Key.allCases.map(\.rawValue)
        for member in members where Key(rawValue: member.key) == nil {
            noteUnknownKey(member, known: known)
        }
        return ConfigurationObject(place: self)
    }

    func noteUnknownKey(_ member: JSON5Member, known: [String]) {
        let message = "unknown key \"\(member.key)\": \(NearestWord.advice(for: member.key, among: known))"
        notes.mistakes.append(ConfigurationMistake(path: path(of: member.key), line: member.keyLine, message: message))
    }

    private func place(of member: JSON5Member) -> ConfigurationPlace {
        ConfigurationPlace(node: member.node, path: path(of: member.key), notes: notes)
    }

    private func path(of key: String) -> String {
        let isPlain = !key.isEmpty && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return isPlain ? (path.isEmpty ? key : "\(path).\(key)") : "\(path)[\"\(key)\"]"
    }
}

/// The keys that an object may have.
protocol ConfigurationKey: RawRepresentable, CaseIterable where RawValue == String {}

/// An object whose keys have been checked.
struct ConfigurationObject<Key: ConfigurationKey> {
    let place: ConfigurationPlace

    /// The value under a key, or nil where the text has none.
    subscript(_ key: Key) -> ConfigurationPlace? { place.member(key.rawValue) }

    /// The value under a key that must be there.
    func required(_ key: Key, _ remedy: String) -> ConfigurationPlace? {
        if let found = self[key] { return found }
        place.mistake("\"\(key.rawValue)\" is missing: \(remedy)")
        return nil
    }
}
