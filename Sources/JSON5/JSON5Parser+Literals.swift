extension JSON5Parser {
    static func startsNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", ".", "+", "-": true
        default: false
        }
    }

    static func startsIdentifier(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "$" || scalar == "_" || scalar == "\\" || scalar.properties.isIDStart
    }

    private static func continuesIdentifier(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "$" || scalar == "_" || scalar == "\u{200C}" || scalar == "\u{200D}" || scalar.properties.isIDContinue
    }

    mutating func number() throws(JSON5Error) -> JSON5Number {
        let start = scanner
        let literal = scanner.take { Self.startsNumber($0) || Self.continuesIdentifier($0) }
        if ["Infinity", "NaN"].contains(literal.drop { $0 == "+" || $0 == "-" }) {
            throw start.error("\(literal) is not accepted: write a finite number")
        }
        do {
            if let number = try JSON5Number(literal: literal) { return number }
        } catch {
            throw start.error(
                "this number cannot be kept exactly: at most 18 digits and powers of ten up to \(JSON5Number.maximumExponent)")
        }
        throw start.error("this is no number; text needs quotation marks")
    }

    mutating func identifier() throws(JSON5Error) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = scanner.current, scalar == "\\" || Self.continuesIdentifier(scalar) {
            let start = scanner
            scanner.advance()
            guard scalar == "\\" else {
                name.append(scalar)
                continue
            }
            guard scanner.take("u") else { throw start.error("in a key without quotation marks only \\uXXXX may follow a backslash") }
            let escaped = try unicodeEscape(from: start)
            guard name.isEmpty ? escaped != "\\" && Self.startsIdentifier(escaped) : Self.continuesIdentifier(escaped) else {
                throw start.error("a key with this character needs quotation marks")
            }
            name.append(escaped)
        }
        return String(name)
    }

    mutating func string() throws(JSON5Error) -> String {
        let start = scanner
        let quote = scanner.current
        scanner.advance()
        var text = String.UnicodeScalarView()
        while let scalar = scanner.current {
            let position = scanner
            scanner.advance()
            if scalar == quote { return String(text) }
            if scalar == "\n" || scalar == "\r" { break }
            if scalar != "\\" {
                text.append(scalar)
            } else if let escaped = try escape(from: position) {
                text.append(escaped)
            }
        }
        throw start.error("this string is not closed on its line: its closing quotation mark is missing")
    }

    /// What stands for the escape whose backslash was taken; nil for a continued line.
    private mutating func escape(from start: JSON5Scanner) throws(JSON5Error) -> Unicode.Scalar? {
        guard let scalar = scanner.current else { return nil }
        scanner.advance()
        switch scalar {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "x": return try Unicode.Scalar(UInt8(hexadecimal(digits: 2, from: start)))
        case "u": return try unicodeEscape(from: start)
        case "0":
            if let next = scanner.current, ("0"..."9").contains(next) { throw start.error("octal escapes are not JSON5: write \\xHH") }
            return "\0"
        case "1"..."9": throw start.error("'\\\(scalar)' is no escape: write \\xHH")
        case "\r":
            _ = scanner.take("\n")
            return nil
        default: return JSON5Scanner.isLineEnd(scalar) ? nil : scalar
        }
    }

    /// The scalar of `\uXXXX`, or of two of them that make a surrogate pair; `\u` was taken.
    private mutating func unicodeEscape(from start: JSON5Scanner) throws(JSON5Error) -> Unicode.Scalar {
        let first = try hexadecimal(digits: 4, from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, scanner.take("\\"), scanner.take("u") else {
            throw start.error("\\u\(String(first, radix: 16)) is half of a surrogate pair")
        }
        let second = try hexadecimal(digits: 4, from: start)
        guard (0xDC00...0xDFFF).contains(second), let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) else {
            throw start.error("\\u\(String(first, radix: 16)) is half of a surrogate pair")
        }
        return scalar
    }

    private mutating func hexadecimal(digits: Int, from start: JSON5Scanner) throws(JSON5Error) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = scanner.current, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw start.error("this escape needs \(digits) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            scanner.advance()
        }
        return value
    }
}
