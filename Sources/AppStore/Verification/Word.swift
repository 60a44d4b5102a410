/// Eight bytes at once, for loops over text that is mostly plain.
///
/// Each test gives a word whose top bits mark the bytes it holds for; which of several bytes is marked falsely above the first
/// true one does not matter here, since only the first is used.
struct Word {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080
    let bits: UInt64

    /// - Parameter offset: With eight bytes behind it.
    init(_ bytes: RawSpan, at offset: Int) {
        bits = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The first byte that equals `byte`, or 8.
    func first(_ byte: UInt8) -> Int { equal(byte).trailingZeroBitCount / 8 }

    /// The first byte that is not an ordinary character of a JSON string: a quote, a backslash, a control character, not ASCII. Or 8.
    var firstSpecialInString: Int {
        let control = (bits &- 0x20 &* Self.ones) & ~bits & Self.tops
        let special = control | equal(UInt8(ascii: "\"")) | equal(UInt8(ascii: "\\")) | (bits & Self.tops)
        return special.trailingZeroBitCount / 8
    }

    private func equal(_ byte: UInt8) -> UInt64 {
        let difference = bits ^ (UInt64(byte) &* Self.ones)
        return (difference &- Self.ones) & ~difference & Self.tops
    }
}

extension Span<UInt8> {
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index + 8 <= count {
            let first = Word(bytes, at: index).first(byte)
            if first < 8 { return index + first }
            index += 8
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
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
