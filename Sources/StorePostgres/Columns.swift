import Domain
import Postgres
import Store

/// Reads a row's columns one after the other: each call takes the column the counter stands on and moves it on.
///
/// So a long row is read in the order in which its query names the columns, without numbers that could slip.
extension Row {
    func next(_ column: inout Int) -> Int {
        defer { column += 1 }
        return column
    }

    func int64(_ column: inout Int) throws(PostgresError) -> Int64 { try int64(next(&column)) }
    func int32(_ column: inout Int) throws(PostgresError) -> Int32 { try int32(next(&column)) }
    func bool(_ column: inout Int) throws(PostgresError) -> Bool { try bool(next(&column)) }
    func text(_ column: inout Int) throws(PostgresError) -> String { try text(next(&column)) }
    func blob(_ column: inout Int) throws(PostgresError) -> [UInt8] { try blob(next(&column)) }
    func timestamp(_ column: inout Int) throws(PostgresError) -> Timestamp { Timestamp(milliseconds: try int64(&column)) }
    func id<ID: Identifier>(_ column: inout Int) throws(PostgresError) -> ID { ID(rawValue: try text(&column)) }

    /// - Throws: `mismatch` where the text is none of the type's cases.
    func word<Word: RawRepresentable>(_ column: inout Int) throws(PostgresError) -> Word where Word.RawValue == String {
        let index = next(&column)
        guard let word = Word(rawValue: try text(index)) else { throw mismatch(index, "a word this version knows") }
        return word
    }
}

/// The same, with `nil` for NULL.
extension Row {
    func optionalInt64(_ column: inout Int) throws(PostgresError) -> Int64? { try optionalInt64(next(&column)) }
    func optionalInt32(_ column: inout Int) throws(PostgresError) -> Int32? { try optionalInt32(next(&column)) }
    func optionalBool(_ column: inout Int) throws(PostgresError) -> Bool? { try optionalBool(next(&column)) }
    func optionalText(_ column: inout Int) throws(PostgresError) -> String? { try optionalText(next(&column)) }
    func optionalBlob(_ column: inout Int) throws(PostgresError) -> [UInt8]? { try optionalBlob(next(&column)) }
    func optionalTimestamp(_ column: inout Int) throws(PostgresError) -> Timestamp? {
        try optionalInt64(&column).map(Timestamp.init(milliseconds:))
    }
    func optionalID<ID: Identifier>(_ column: inout Int) throws(PostgresError) -> ID? {
        try optionalText(&column).map { ID(rawValue: $0) }
    }
}

extension Timestamp: Bindable {
    package var postgresValue: Value { .integer(milliseconds) }
}

extension Identifier {
    package var postgresValue: Value { .text(rawValue) }
}
extension AppID: Bindable {}
extension TransactionID: Bindable {}
extension AppTransactionID: Bindable {}
extension AppAccountToken: Bindable {}
extension UserID: Bindable {}
extension ProductID: Bindable {}
extension NotificationUUID: Bindable {}
