import Postgres
import Store

private enum SQL {
    static let segment: StaticString = "SELECT segment FROM jws_headers WHERE id = $1"
    static let find: StaticString = "SELECT id FROM jws_headers WHERE sha256 = sha256($1)"
    static let insert: StaticString = "INSERT INTO jws_headers (segment) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id"
}

/// The ids of the header segments seen last. Only a handful is in use at a time: they hold Apple's certificates.
struct JWSHeaderNumbers {
    static let limit = 64
    private var numbers: [Key: Int64] = [:]

    subscript(segment: [UInt8]) -> Int64? { numbers[Key(segment: segment)] }

    mutating func keep(_ segment: [UInt8], _ number: Int64) {
        if numbers.count == JWSHeaderNumbers.limit { numbers.removeAll() }
        numbers[Key(segment: segment)] = number
    }

    /// Hashes all bytes in one go; an array would do so one by one, and a segment is some 5 kB long.
    private struct Key: Hashable {
        let segment: [UInt8]
        func hash(into hasher: inout Hasher) { segment.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }
}

extension PostgresSession {
    func jwsHeader(id: Int64) throws(StoreError) -> [UInt8]? {
        if let jwsHeaderSource { return try jwsHeaderSource.jwsHeader(id: id) }
        return try postgres { try $0.first("jwsHeaders.segment", SQL.segment, id) { try $0.blob(0) } }
    }

    func jwsHeaderID(_ segment: [UInt8]) throws(StoreError) -> Int64 {
        if let number = jwsHeaders[segment] { return number }
        if let number = try knownHeader(segment) { return keep(segment, number) }
        let made = try postgres { try $0.first("jwsHeaders.insert", SQL.insert, segment) { try $0.int64(0) } }
        if let made { return keep(segment, made) }
        // Another process stored it at this moment: it is there by now.
        guard let number = try knownHeader(segment) else { throw .busy("jwsHeaders.insert", database) }
        return keep(segment, number)
    }

    private func keep(_ segment: [UInt8], _ number: Int64) -> Int64 {
        jwsHeaders.keep(segment, number)
        return number
    }

    private func knownHeader(_ segment: [UInt8]) throws(StoreError) -> Int64? {
        try postgres { try $0.first("jwsHeaders.find", SQL.find, segment) { try $0.int64(0) } }
    }
}
