extension JSONScan {
    /// The grammar of RFC 8259 section 6.
    mutating func number(_ bytes: Span<UInt8>) throws(VerificationError) {
        let start = position
        _ = take(UInt8(ascii: "-"), bytes)
        let isZero = take(UInt8(ascii: "0"), bytes)
        guard isZero || skipDigits(bytes) else { throw fault("not a value") }
        if take(UInt8(ascii: "."), bytes) {
            guard skipDigits(bytes) else { throw fault("not a number") }
        }
        if take(UInt8(ascii: "e"), bytes) || take(UInt8(ascii: "E"), bytes) {
            _ = take(UInt8(ascii: "+"), bytes) || take(UInt8(ascii: "-"), bytes)
            guard skipDigits(bytes) else { throw fault("not a number") }
        }
        guard position - start <= Self.maximumNumberLength else {
            throw fault("a number of more than \(Self.maximumNumberLength) characters")
        }
    }

    /// - Returns: Whether there was one.
    private mutating func skipDigits(_ bytes: Span<UInt8>) -> Bool {
        let start = position
        while let byte = peek(bytes), (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    /// The grammar of RFC 8259 section 7, in UTF-8.
    mutating func string(_ bytes: Span<UInt8>) throws(VerificationError) {
        position += 1
        while true {
            position = bytes.endOfPlainText(from: position)
            guard let byte = peek(bytes) else { throw fault("a string without an end") }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try escape(bytes)
            case ..<0x20: throw fault("a control character in a string")
            case ..<0x80: position += 1
            default: try character(bytes, first: byte)
            }
        }
    }

    private mutating func escape(_ bytes: Span<UInt8>) throws(VerificationError) {
        position += 1
        guard let byte = peek(bytes) else { throw fault("a string without an end") }
        position += 1
        switch byte {
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = peek(bytes), Unicode.Scalar(digit).properties.isASCIIHexDigit else {
                    throw fault("an escape without four digits")
                }
                position += 1
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        default: throw fault("an unknown escape")
        }
    }

    /// One character that is not ASCII: the well-formed sequences of Unicode, table 3-7.
    private mutating func character(_ bytes: Span<UInt8>, first: UInt8) throws(VerificationError) {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0...0xEF:
            count = 3
            if first == 0xE0 { second = 0xA0...0xBF } else if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            count = 4
            if first == 0xF0 { second = 0x90...0xBF } else if first == 0xF4 { second = 0x80...0x8F }
        default: throw fault("not UTF-8")
        }
        guard position + count <= bytes.count, second.contains(bytes[position + 1]) else { throw fault("not UTF-8") }
        for index in 2..<max(count, 2) where bytes[position + index] & 0xC0 != 0x80 { throw fault("not UTF-8") }
        position += count
    }
}
