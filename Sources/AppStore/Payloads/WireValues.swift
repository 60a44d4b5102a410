import Foundation

// How Apple's members are read: absent and null are the same, another JSON type is an error that names the member.
extension KeyedDecodingContainer {
    func text(_ key: Key) throws -> String? { try decodeIfPresent(String.self, forKey: key) }
    func int32(_ key: Key) throws -> Int32? { try decodeIfPresent(Int32.self, forKey: key) }
    func int64(_ key: Key) throws -> Int64? { try decodeIfPresent(Int64.self, forKey: key) }
    func bool(_ key: Key) throws -> Bool? { try decodeIfPresent(Bool.self, forKey: key) }
    func nested<Value: Decodable>(_ key: Key) throws -> Value? { try decodeIfPresent(Value.self, forKey: key) }

    /// Text that means nothing when it is empty.
    func nonEmptyText(_ key: Key) throws -> String? { try text(key).flatMap { $0.isEmpty ? nil : $0 } }

    /// An identifier: text, or an integer that fits 64 bits. Never by way of a double, which would round it.
    func id(_ key: Key) throws -> String? {
        do { return try text(key) } catch DecodingError.typeMismatch { return try int64(key).map(String.init) }
    }

    /// Milliseconds since the epoch. Data of Xcode has fractions of a millisecond, which are dropped.
    func milliseconds(_ key: Key) throws -> Int64? {
        do { return try int64(key) } catch {
            if case DecodingError.typeMismatch = error { throw error }
            guard let number = try? decode(Double.self, forKey: key), let whole = Int64(exactly: number.rounded(.towardZero)) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not milliseconds since the epoch")
            }
            return whole
        }
    }
}
