import Foundation

/// Decodes an object of Apple's straight from its bytes, which ``JSONScan`` has found well formed.
///
/// `JSONDecoder` would look at each byte again and build a dictionary for each object: together with the signatures, that is a quarter
/// of a verification. Whatever is not a plain text, integer, Boolean or object is left to it all the same, so both read alike.
struct PayloadDecoder: Decoder {
    let bytes: [UInt8]
    let scan: JSONScan
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ bytes: [UInt8], _ scan: JSONScan, codingPath: [any CodingKey] = []) {
        self.bytes = bytes
        self.scan = scan
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members(decoder: self))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw notAnObject("a list") }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notAnObject("a single value") }

    private func notAnObject(_ what: String) -> DecodingError {
        DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "an object was to be decoded as \(what)"))
    }
}

/// The members of one object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PayloadDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.scan.members.compactMap { Key(stringValue: String(decoding: decoder.bytes[$0.name], as: UTF8.self)) } }

    func contains(_ key: Key) -> Bool { range(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try isNull(required(key)) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try text(key, required(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try bool(key, required(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key, required(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key, required(key)) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try other(key, required(key)) }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key).map { try text(key, $0) } }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key).map { try bool(key, $0) } }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key).map { try integer(key, $0) } }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key).map { try integer(key, $0) } }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try other(key, $0) }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key, required(key)).container(keyedBy: keyedBy)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw mismatch([JSONValue].self, key) }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key, required(key)) }
}

extension Members {
    private func range(_ key: Key) -> Range<Int>? { decoder.scan.value(of: key.stringValue) }

    private func present(_ key: Key) -> Range<Int>? { range(key).flatMap { isNull($0) ? nil : $0 } }

    private func required(_ key: Key) throws -> Range<Int> {
        guard let range = range(key) else { throw DecodingError.keyNotFound(key, context(key, "missing")) }
        return range
    }

    private func isNull(_ range: Range<Int>) -> Bool { decoder.bytes[range.lowerBound] == UInt8(ascii: "n") }

    private func text(_ key: Key, _ range: Range<Int>) throws -> String {
        guard decoder.bytes[range.lowerBound] == UInt8(ascii: "\"") else { throw mismatch(String.self, key) }
        let inner = range.lowerBound + 1..<range.upperBound - 1
        guard !decoder.bytes.span.contains(UInt8(ascii: "\\"), in: inner) else { return try byJSONDecoder(key, range) }
        return String(decoding: decoder.bytes[inner], as: UTF8.self)
    }

    private func bool(_ key: Key, _ range: Range<Int>) throws -> Bool {
        switch decoder.bytes[range.lowerBound] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw mismatch(Bool.self, key)
        }
    }

    private func integer<Value: FixedWidthInteger & Decodable>(_ key: Key, _ range: Range<Int>) throws -> Value {
        switch decoder.bytes[range.lowerBound] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        default: throw mismatch(Value.self, key)
        }
        var value: Value = 0
        for byte in decoder.bytes[range] {
            let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(Value(truncatingIfNeeded: byte &- UInt8(ascii: "0")))
            // Signs, fractions and exponents; and what does not fit, which fails there too.
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), !tooLarge, !overflow else { return try byJSONDecoder(key, range) }
            value = sum
        }
        return value
    }

    private func other<Value: Decodable>(_ key: Key, _ range: Range<Int>) throws -> Value {
        guard let type = Value.self as? any WireObject.Type else { return try byJSONDecoder(key, range) }
        guard let value = try type.init(from: nested(key, range)) as? Value else { throw mismatch(Value.self, key) }
        return value
    }

    private func nested(_ key: Key, _ range: Range<Int>) throws -> PayloadDecoder {
        guard decoder.bytes[range.lowerBound] == UInt8(ascii: "{") else { throw mismatch([String: JSONValue].self, key) }
        let scan = try JSONScan.ofObject(decoder.bytes.span, in: range)
        return PayloadDecoder(decoder.bytes, scan, codingPath: codingPath + [key])
    }

    private func byJSONDecoder<Value: Decodable>(_ key: Key, _ range: Range<Int>) throws -> Value {
        do { return try JSONDecoder().decode(Value.self, from: Data(decoder.bytes[range])) } catch DecodingError.typeMismatch {
            throw mismatch(Value.self, key)
        } catch { throw DecodingError.dataCorrupted(context(key, "cannot be read as \(Value.self)")) }
    }

    private func mismatch(_ type: any Any.Type, _ key: Key) -> DecodingError { .typeMismatch(type, context(key, "not \(type)")) }

    private func context(_ key: Key, _ what: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath + [key], debugDescription: what)
    }
}

// Apple's payloads have no numbers of these types; read as any other value.
extension Members {
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try byJSONDecoder(key, required(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try byJSONDecoder(key, required(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key, required(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key, required(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key, required(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key, required(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key, required(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key, required(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key, required(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key, required(key)) }
}
