/// The lengths of DER (X.690 section 10.1): definite, in the fewest bytes, and each element filled exactly by its own.
///
/// libcrypto reads BER too. Two encodings of one certificate would be two identities of one key.
enum DER {
    /// Whether `bytes` are exactly one element with such lengths all the way down.
    static func isOneElement(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        return skipElement(bytes, &position, end: bytes.count, depth: 0) && position == bytes.count
    }

    private static let maximumDepth = 32

    private static func skipElement(_ bytes: Span<UInt8>, _ position: inout Int, end: Int, depth: Int) -> Bool {
        guard depth < maximumDepth, position < end else { return false }
        let tag = bytes[position]
        guard tag & 0x1F != 0x1F else { return false }  // Tags of several bytes do not occur in certificates.
        position += 1
        guard let length = length(bytes, &position, end: end), length <= end - position else { return false }
        let contentEnd = position + length
        if tag & 0x20 != 0 {
            while position < contentEnd {
                guard skipElement(bytes, &position, end: contentEnd, depth: depth + 1) else { return false }
            }
        }
        position = contentEnd
        return true
    }

    private static func length(_ bytes: Span<UInt8>, _ position: inout Int, end: Int) -> Int? {
        guard position < end else { return nil }
        let first = bytes[position]
        position += 1
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), count <= end - position, bytes[position] != 0 else { return nil }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(bytes[position])
            position += 1
        }
        return length >= 0x80 ? length : nil
    }
}
