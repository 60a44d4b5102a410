/// A number exactly as written: `significand` × 10^`exponent`. Money never passes through a binary fraction.
package struct JSON5Number: Equatable, Sendable {
    /// Trailing zeros are kept: 0.10 is 10 × 10^-2.
    package var significand: Int64
    package var exponent: Int

    package init(significand: Int64, exponent: Int) {
        self.significand = significand
        self.exponent = exponent
    }
}

extension JSON5Number {
    /// What a literal may hold: 18 digits and powers of ten up to this.
    static let maximumExponent = 99

    /// Parses the text of a literal, which has been delimited but not judged.
    ///
    /// - Returns: nil where it is no number of JSON5.
    /// - Throws: `TooLong` where it is one that cannot be kept exactly.
    init?(literal: String) throws(TooLong) {
        var rest = Substring(literal)
        let negative = rest.first == "-"
        if negative || rest.first == "+" { rest.removeFirst() }
        let magnitude = try rest.lowercased().hasPrefix("0x") ? Self.hexadecimal(rest.dropFirst(2)) : Self.decimal(rest)
        guard let magnitude else { return nil }
        self.init(significand: negative ? -magnitude.significand : magnitude.significand, exponent: magnitude.exponent)
    }

    struct TooLong: Error {}

    private static func hexadecimal(_ digits: Substring) throws(TooLong) -> JSON5Number? {
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        guard let value = Int64(digits, radix: 16) else { throw TooLong() }
        return JSON5Number(significand: value, exponent: 0)
    }

    private static func decimal(_ text: Substring) throws(TooLong) -> JSON5Number? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let halves = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let (whole, fraction) = (halves[0], halves.count > 1 ? halves[1] : "")
        let digits = whole + fraction
        guard !digits.isEmpty, digits.allSatisfy(isDigit), whole == "0" || whole.first != "0" else { return nil }
        let power = try parts.count > 1 ? exponent(parts[1]) : 0
        guard let power else { return nil }
        guard let significand = Int64(digits), digits.drop(while: { $0 == "0" }).count <= 18 else { throw TooLong() }
        let number = JSON5Number(significand: significand, exponent: power - fraction.count)
        guard abs(number.exponent) <= maximumExponent else { throw TooLong() }
        return number
    }

    private static func exponent(_ text: Substring) throws(TooLong) -> Int? {
        let digits = text.first == "+" || text.first == "-" ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        guard let value = Int(text), abs(value) <= 10 * maximumExponent else { throw TooLong() }
        return value
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isWholeNumber }
}
