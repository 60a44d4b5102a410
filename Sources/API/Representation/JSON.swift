/// A JSON value on its way out: members keep their order, integers are exact, and there are no fractions.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([JSON])
    case object([Member])
    /// Text that is JSON already, as it was stored or signed.
    case verbatim([UInt8])

    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSON
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    package init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map(Member.init)) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(stringLiteral text: String) { self = .string(text) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension JSON {
    package init(_ text: String?) { self = text.map(JSON.string) ?? .null }
    package init(_ value: Bool?) { self = value.map(JSON.bool) ?? .null }
    package init(_ value: (some FixedWidthInteger)?) { self = value.map { .integer(Int64(clamping: $0)) } ?? .null }
    package init(_ values: some Sequence<String>) { self = .array(values.map(JSON.string)) }

    /// The object with one more member at its end; anything but an object stays as it is.
    package func adding(_ name: String, _ value: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name: name, value: value)])
    }

    /// The value as UTF-8 without white space.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        write(to: &bytes)
        return bytes
    }
}

extension JSON {
    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .string(let text): JSON.write(text, to: &bytes)
        case .verbatim(let json): bytes += json
        case .array(let elements):
            JSON.write(elements, between: ("[", "]"), to: &bytes) { $0.write(to: &$1) }
        case .object(let members):
            JSON.write(members, between: ("{", "}"), to: &bytes) { member, bytes in
                JSON.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between brackets: (Unicode.Scalar, Unicode.Scalar), to bytes: inout [UInt8],
        _ write: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: brackets.0))
        for index in elements.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(elements[index], &bytes)
        }
        bytes.append(UInt8(ascii: brackets.1))
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes += "\\u00".utf8
                bytes.append(hexDigits[Int(byte >> 4)])
                bytes.append(hexDigits[Int(byte & 0xF)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
