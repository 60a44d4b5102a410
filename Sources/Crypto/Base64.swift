/// Base64 with the standard alphabet and strict padding, RFC 4648 section 4.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Alphabet.standard.encode(bytes.span, padded: true), as: UTF8.self)
    }

    /// - Returns: nil for anything but the one canonical encoding: white space, missing padding and spare bits that are not zero
    ///   are refused.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }

    /// As ``decode(_:)-([UInt8])``.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var end = text.count
        while end > 0, end > text.count - 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return Alphabet.standard.decode(text.extracting(first: end))
    }
}

/// Base64 with the alphabet for URLs and file names, without padding, RFC 4648 section 5 as RFC 7515 uses it.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encodeToBytes(bytes.span), as: UTF8.self)
    }

    /// The same as bytes of ASCII.
    package static func encodeToBytes(_ bytes: Span<UInt8>) -> [UInt8] { Alphabet.url.encode(bytes, padded: false) }

    /// - Returns: nil for anything but the one canonical encoding: `+`, `/`, `=`, white space and spare bits that are not zero
    ///   are refused.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span) }

    /// As ``decode(_:)-([UInt8])``.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? { Alphabet.url.decode(text) }
}
