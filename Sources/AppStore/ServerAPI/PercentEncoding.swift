/// Percent-encoding of values that go into a URL.
enum PercentEncoding {
    /// Keeps the unreserved characters of RFC 3986 alone, so that `+`, `/` and `=` of a token arrive as they are.
    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// `?a=b&c=d`, or nothing for no items.
    static func query(_ items: [(name: String, value: String)]) -> String {
        let pairs = items.map { "\(encode($0.name))=\(encode($0.value))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
