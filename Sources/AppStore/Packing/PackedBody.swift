import Crypto

/// A request body with its JWS taken apart, so that certificates are kept once and base64 not at all; gives back the very same bytes.
///
/// Some four fifths of a message are the same three certificates, three times. A JWS becomes a reference to its header segment, its
/// payload (with the JWS inside it taken apart in turn) and its signature.
package struct PackedBody: Sendable, Hashable {
    /// The distinct header segments, as they stand in the JWS.
    package var headers: [[UInt8]]
    package var bytes: [UInt8]

    /// - Parameters:
    ///   - headers: In the order in which ``pack(_:)`` gave them.
    package init(headers: [[UInt8]], bytes: [UInt8]) {
        self.headers = headers
        self.bytes = bytes
    }

    /// Packs any bytes; what does not come back byte for byte is kept as it is.
    package static func pack(_ body: [UInt8]) -> PackedBody {
        var writer = PackedBodyWriter()
        writer.bytes.append(Format.packed.rawValue)
        writer.text(body.span, depth: 0)
        let packed = PackedBody(headers: writer.headers, bytes: writer.bytes)
        return packed.unpack() == body ? packed : PackedBody(headers: [], bytes: [Format.verbatim.rawValue] + body)
    }

    /// The original bytes; nil where the stored ones are damaged.
    package func unpack() -> [UInt8]? {
        switch bytes.first.flatMap(Format.init) {
        case .verbatim: return Array(bytes.dropFirst())
        case .packed:
            var reader = PackedBodyReader(bytes: bytes, headers: headers)
            return reader.text(depth: 0)
        case nil: return nil
        }
    }

    private enum Format: UInt8 { case verbatim = 0, packed = 1 }
    static let maximumDepth = 2
}

private struct PackedBodyWriter {
    var bytes: [UInt8] = []
    var headers: [[UInt8]] = []

    mutating func text(_ text: Span<UInt8>, depth: Int) {
        let found = depth < PackedBody.maximumDepth ? compactJWS(in: text) : []
        varint(found.count)
        var start = 0
        for jws in found {
            literal(text.extracting(start..<jws.header.lowerBound))
            varint(index(of: text.extracting(jws.header)))
            self.text(jws.payload.span, depth: depth + 1)
            literal(jws.signature.span)
            start = jws.end
        }
        literal(text.extracting(start..<text.count))
    }

    private mutating func index(of segment: Span<UInt8>) -> Int {
        if let known = headers.firstIndex(where: { $0.span.isEqual(to: segment) }) { return known }
        headers.append(Array(copying: segment))
        return headers.count - 1
    }

    private mutating func literal(_ span: Span<UInt8>) {
        varint(span.count)
        span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private mutating func varint(_ value: Int) {
        var rest = UInt(bitPattern: value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

private struct PackedBodyReader {
    let bytes: [UInt8]
    let headers: [[UInt8]]
    var position = 1

    init(bytes: [UInt8], headers: [[UInt8]]) {
        self.bytes = bytes
        self.headers = headers
    }

    mutating func text(depth: Int) -> [UInt8]? {
        guard depth <= PackedBody.maximumDepth, let count = varint() else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        for _ in 0..<count {
            guard let before = literal(), let index = varint(), headers.indices.contains(index),
                let payload = text(depth: depth + 1), let signature = literal()
            else { return nil }
            out += before
            out += headers[index]
            out.append(UInt8(ascii: "."))
            out += Base64URL.encodeToBytes(payload.span)
            out.append(UInt8(ascii: "."))
            out += Base64URL.encodeToBytes(signature.span)
        }
        guard let rest = literal() else { return nil }
        out += rest
        return out
    }

    private mutating func literal() -> ArraySlice<UInt8>? {
        guard let count = varint(), count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private mutating func varint() -> Int? {
        var value: UInt = 0
        for shift in stride(from: UInt(0), to: 63, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt(byte & 0x7F) << shift
            if byte < 0x80 { return Int(exactly: value) }
        }
        return nil
    }
}

private struct FoundJWS {
    var header: Range<Int>
    var payload: [UInt8]
    var signature: [UInt8]
    var end: Int
}

/// Finds what is written like a compact JWS: three runs of base64url joined by two dots, long enough to be worth it. From each dot it looks
/// back for the header and ahead for the signature; the long payload between is looked at by decoding it.
private func compactJWS(in text: Span<UInt8>) -> [FoundJWS] {
    var found: [FoundJWS] = []
    var start = 0
    var from = 0
    while let dot = text.firstIndex(of: UInt8(ascii: "."), from: from),
        let next = text.firstIndex(of: UInt8(ascii: "."), from: dot + 1)
    {
        from = dot + 1
        guard next - dot > shortestPayload else { continue }
        var header = dot
        while header > start, isTokenByte(text[header - 1]) { header -= 1 }
        var end = next + 1
        while end < text.count, isTokenByte(text[end]) { end += 1 }
        // A fourth run makes it something else.
        guard header < dot, header == 0 || text[header - 1] != UInt8(ascii: "."), end == text.count || text[end] != UInt8(ascii: "."),
            let jws = parts(of: text, start: header, dots: (dot, next), end: end)
        else { continue }
        found.append(jws)
        (start, from) = (end, end)
    }
    return found
}

/// What is shorter is no payload worth taking apart: two dots in a name, say.
private let shortestPayload = 64

private func parts(of text: Span<UInt8>, start: Int, dots: (Int, Int), end: Int) -> FoundJWS? {
    guard let payload = Base64URL.decode(text.extracting((dots.0 + 1)..<dots.1)),
        let signature = Base64URL.decode(text.extracting((dots.1 + 1)..<end))
    else { return nil }
    return FoundJWS(header: start..<dots.0, payload: payload, signature: signature, end: end)
}

private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
    default: false
    }
}

extension Array where Element == UInt8 {
    fileprivate init(copying span: Span<UInt8>) { self = span.withUnsafeBufferPointer { Array($0) } }
}
