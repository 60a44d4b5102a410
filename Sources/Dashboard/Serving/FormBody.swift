import HTTPServer

/// The fields of a posted form.
struct FormBody: Sendable {
    private var fields: [String: String] = [:]

    /// Reads `application/x-www-form-urlencoded`, by the same rules as a query; a body that is none has no fields.
    init(_ request: HTTPRequest) {
        for pair in decodedForm(request.body) where fields[pair.name] == nil { fields[pair.name] = pair.value }
    }

    subscript(_ name: String) -> String { fields[name] ?? "" }
}

private func decodedForm(_ body: [UInt8]) -> [(name: String, value: String)] {
    body.split(separator: UInt8(ascii: "&")).compactMap { pair in
        let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = decoded(sides[0]) else { return nil }
        guard sides.count > 1 else { return (name, "") }
        return decoded(sides[1]).map { (name, $0) }
    }
}

private func decoded(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
        case UInt8(ascii: "%"):
            guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else { return nil }
            bytes.append(high << 4 | low)
        default: bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}

private func hexValue(_ digit: UInt8) -> UInt8? { Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) }
