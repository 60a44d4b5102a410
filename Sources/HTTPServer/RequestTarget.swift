/// A request's target taken apart.
struct RequestTarget {
    /// As sent, without the query.
    let path: String
    let segments: [String]
    let query: [(name: String, value: String)]

    /// - Parameter target: As in the request line: a path with or without a query, `*`, or an absolute `http` address.
    /// - Returns: `nil` for a bad percent-escape, one that is no UTF-8, a character no target may hold, or another form.
    /// - Source: RFC 9112, section 3.2; RFC 3986, section 2.1.
    init?(_ target: String) {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let origin = originForm(target) else { return nil }
        let mark = origin.utf8.firstIndex(of: UInt8(ascii: "?")) ?? origin.endIndex
        let path = origin[..<mark]
        guard let segments = decodedSegments(path), let query = decodedQuery(origin[mark...].dropFirst()) else { return nil }
        self.path = String(path)
        self.segments = segments
        self.query = query
    }
}

/// The target from its path on; `nil` when it holds none.
private func originForm(_ target: String) -> Substring? {
    if target.utf8.first == UInt8(ascii: "/") || target == "*" { return target[...] }
    guard let scheme = ["http://", "https://"].first(where: target.hasPrefix) else { return nil }
    let authority = target.utf8.dropFirst(scheme.utf8.count)
    return authority.firstIndex(of: UInt8(ascii: "/")).map { target[$0...] }
}

private func decodedSegments(_ path: Substring) -> [String]? {
    var segments: [String] = []
    for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
        guard let decoded = decoded(segment, plusIsSpace: false) else { return nil }
        segments.append(decoded)
    }
    return segments
}

private func decodedQuery(_ query: Substring) -> [(name: String, value: String)]? {
    var pairs: [(name: String, value: String)] = []
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        guard let name = decoded(pair[..<equals], plusIsSpace: true),
            let value = decoded(pair[equals...].dropFirst(), plusIsSpace: true)
        else { return nil }
        pairs.append((name, value))
    }
    return pairs
}

private func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String? {
    let percent = UInt8(ascii: "%")
    let plus = UInt8(ascii: "+")
    guard text.contains(where: { $0 == percent || $0 == plus }) else { return String(text) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
        if byte == percent {
            guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else { return nil }
            bytes.append(high << 4 | low)
        } else {
            bytes.append(byte == plus && plusIsSpace ? UInt8(ascii: " ") : byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}

private func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
