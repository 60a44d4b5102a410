import SQLite
import Store

private enum SQL {
    static let segment: StaticString = "SELECT segment FROM jws_headers WHERE id = ?1"
    static let find: StaticString = "SELECT id FROM jws_headers WHERE segment = ?1"
    static let insert: StaticString = "INSERT INTO jws_headers (segment) VALUES (?1)"
}

/// The ids of the header segments seen last. Only a handful is in use at a time: they hold Apple's certificates.
struct JWSHeaderNumbers {
    static let limit = 64
    private var numbers: [[UInt8]: Int64] = [:]

    subscript(segment: [UInt8]) -> Int64? { numbers[segment] }

    mutating func keep(_ segment: [UInt8], _ number: Int64) {
        if numbers.count == JWSHeaderNumbers.limit { numbers.removeAll() }
        numbers[segment] = number
    }
}

extension SQLiteSession {
    func jwsHeader(id: Int64) throws(StoreError) -> [UInt8]? {
        if let jwsHeaderSource { return try jwsHeaderSource.jwsHeader(id: id) }
        return try sqlite { try $0.first("jwsHeaders.segment", SQL.segment, id) { try $0.blob(0) } }
    }

    func jwsHeaderID(_ segment: [UInt8]) throws(StoreError) -> Int64 {
        if let number = jwsHeaders[segment] { return number }
        let number = try sqlite { connection in
            if let known = try connection.first("jwsHeaders.find", SQL.find, segment, map: { try $0.int64(0) }) { return known }
            try connection.run("jwsHeaders.insert", SQL.insert, segment)
            return connection.lastInsertedRowID
        }
        jwsHeaders.keep(segment, number)
        return number
    }
}
