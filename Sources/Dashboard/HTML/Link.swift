/// A place of this desk: a path and a query, each part escaped for itself.
struct Link: Sendable, Hashable {
    var segments: [String]
    var query: [Pair] = []
    var fragment: String?

    struct Pair: Sendable, Hashable {
        var name: String
        var value: String
    }

    init(_ segments: String..., fragment: String? = nil) {
        self.segments = segments
        self.fragment = fragment
    }

    init(segments: [String], query: [Pair]) {
        self.segments = segments
        self.query = query
    }

    /// The same place with one more in its query; nil adds nothing.
    func adding(_ name: String, _ value: String?) -> Link {
        guard let value else { return self }
        var link = self
        link.query.append(Pair(name: name, value: value))
        return link
    }

    /// Begins with one slash, so that it stays on this host.
    var text: String {
        var text = "/" + segments.map(percentEncoded).joined(separator: "/")
        if !query.isEmpty {
            text += "?" + query.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
        }
        return fragment.map { "\(text)#\(percentEncoded($0))" } ?? text
    }
}

/// - Source: RFC 3986, section 2.3: all but unreserved characters are escaped.
private func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            out.append(byte)
        default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: out, as: UTF8.self)
}
