/// A value of a JSON5 text and where it stands, so that a mistake found later can still name its line.
package struct JSON5Node: Equatable, Sendable {
    package var value: JSON5Value
    /// Counted from 1.
    package var line: Int
    /// Counted from 1, in Unicode scalars.
    package var column: Int

    package init(_ value: JSON5Value, line: Int, column: Int) {
        self.value = value
        self.line = line
        self.column = column
    }

    /// Reads one JSON5 text.
    ///
    /// Stricter than JSON5 where that would hide a mistake: a key given twice, `Infinity`, `NaN` and numbers that cannot be kept
    /// exactly are errors.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, at most ``maximumSize`` bytes.
    ///   - maximumDepth: How many objects and lists may stand inside one another.
    /// - Throws: ``JSON5Error`` with the first mistake.
    /// - Source: JSON5 1.0.0, https://spec.json5.org
    package init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSON5Error) {
        var parser = JSON5Parser(try JSON5Scanner(bytes), maximumDepth: maximumDepth)
        self = try parser.document()
    }

    package static let maximumSize = 4 << 20
}

package enum JSON5Value: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(JSON5Number)
    case string(String)
    case array([JSON5Node])
    /// In the order of the text; no key stands twice.
    case object([JSON5Member])

    /// What the value is, for messages: "a string", "an object".
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// One key of an object and its value.
package struct JSON5Member: Equatable, Sendable {
    package var key: String
    /// Where the key stands; the value may stand lower.
    package var keyLine: Int
    package var node: JSON5Node

    package init(key: String, keyLine: Int, node: JSON5Node) {
        self.key = key
        self.keyLine = keyLine
        self.node = node
    }
}
