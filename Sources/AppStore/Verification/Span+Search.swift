/// Eight bytes at once, for loops over text that is mostly plain.
///
/// A test gives a word whose top bits mark the bytes that pass it. Above the first such byte a mark may be false, so only the first
/// is of use.
private struct Word {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080
    let bits: UInt64

    /// - Parameter offset: With eight bytes behind it.
    init(_ bytes: RawSpan, at offset: Int) {
        bits = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    func equal(_ byte: UInt8) -> UInt64 {
        let difference = bits ^ (UInt64(byte) &* Self.ones)
        return (difference &- Self.ones) & ~difference & Self.tops
    }

    /// What ends or interrupts a plain stretch of a JSON string: a quote, a backslash, a control character, not ASCII.
    var special: UInt64 {
        let control = (bits &- 0x20 &* Self.ones) & ~bits & Self.tops
        return control | equal(UInt8(ascii: "\"")) | equal(UInt8(ascii: "\\")) | (bits & Self.tops)
    }
}

extension Span<UInt8> {
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index + 8 <= count {
            let found = Word(bytes, at: index).equal(byte)
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    func contains(_ byte: UInt8, in range: Range<Int>) -> Bool { extracting(range).firstIndex(of: byte, from: 0) != nil }

    /// The end of the plain stretch of a JSON string that begins at `start`; it may end early within the last 31 bytes.
    func endOfPlainText(from start: Int) -> Int {
        let bytes = bytes
        var index = start
        while index + 32 <= count {
            let special = (0..<4).reduce(UInt64(0)) { $0 | Word(bytes, at: index + $1 * 8).special }
            if special != 0 { break }
            index += 32
        }
        while index + 8 <= count {
            let special = Word(bytes, at: index).special
            if special != 0 { return index + special.trailingZeroBitCount / 8 }
            index += 8
        }
        return index
    }

    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + 8 <= count {
            guard Word(bytes, at: index).bits == Word(other.bytes, at: index).bits else { return false }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }
}
