/// A cursor over the scalars of a text that knows its line and column, and passes over space and comments.
struct JSON5Scanner {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private(set) var line = 1
    private(set) var column = 1

    init(_ bytes: [UInt8]) throws(JSON5Error) {
        guard bytes.count <= JSON5Node.maximumSize else {
            throw JSON5Error(line: 1, column: 1, message: "the text is larger than \(JSON5Node.maximumSize >> 20) MiB")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSON5Error(line: Self.firstInvalidLine(bytes), column: 1, message: "the text is not UTF-8 here: save the file as UTF-8")
        }
        scalars = Array(text.unicodeScalars)
    }

    /// The next scalar, or nil at the end.
    var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private var following: Unicode.Scalar? { index + 1 < scalars.count ? scalars[index + 1] : nil }

    /// Takes the next scalar; a CR LF counts as one line end.
    mutating func advance() {
        guard let scalar = current else { return }
        let endsLine = scalar == "\n" || (scalar == "\r" && following != "\n")
        index += 1
        (line, column) = endsLine ? (line + 1, 1) : (line, column + 1)
    }

    /// Takes the next scalar where it is this one.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        advance()
        return true
    }

    /// Takes scalars for as long as they satisfy the predicate.
    mutating func take(while predicate: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let scalar = current, predicate(scalar) {
            taken.append(scalar)
            advance()
        }
        return String(taken)
    }

    mutating func skipSpaceAndComments() throws(JSON5Error) {
        while let scalar = current {
            if Self.isSpace(scalar) {
                advance()
            } else if scalar == "/" {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Error) {
        let start = error("this comment is not closed: '*/' is missing")
        switch following {
        case "/":
            while let scalar = current, !Self.isLineEnd(scalar) { advance() }
        case "*":
            advance()
            advance()
            while !(current == "*" && following == "/") {
                guard current != nil else { throw start }
                advance()
            }
            advance()
            advance()
        default:
            throw error("a comment starts with '//' or '/*'")
        }
    }

    /// An error at the cursor.
    func error(_ message: String) -> JSON5Error { JSON5Error(line: line, column: column, message: message) }

    /// What stands at the cursor, for messages.
    var found: String {
        guard let scalar = current else { return "the end of the text" }
        return scalar.properties.isWhitespace || scalar.value < 0x20
            ? "U+" + String(scalar.value, radix: 16, uppercase: true) : "'\(scalar)'"
    }
}

extension JSON5Scanner {
    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\u{0B}", "\u{0C}", "\u{FEFF}": true
        default: isLineEnd(scalar) || scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// The first line that is not UTF-8: no line end can be part of a longer sequence, so lines can be judged alone.
    private static func firstInvalidLine(_ bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
    }
}
