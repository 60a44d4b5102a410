/// One value as SQLite stores it.
package enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A type that can stand for a parameter of a statement.
package protocol Bindable {
    var sqliteValue: Value { get }
}

extension Value: Bindable {
    package var sqliteValue: Value { self }
}

extension Int64: Bindable {
    package var sqliteValue: Value { .integer(self) }
}

extension Int: Bindable {
    package var sqliteValue: Value { .integer(Int64(self)) }
}

extension Int32: Bindable {
    package var sqliteValue: Value { .integer(Int64(self)) }
}

/// Stored as 0 or 1.
extension Bool: Bindable {
    package var sqliteValue: Value { .integer(self ? 1 : 0) }
}

/// SQLite stores a NaN as NULL.
extension Double: Bindable {
    package var sqliteValue: Value { .real(self) }
}

extension String: Bindable {
    package var sqliteValue: Value { .text(self) }
}

extension [UInt8]: Bindable {
    package var sqliteValue: Value { .blob(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    package var sqliteValue: Value {
        switch self {
        case .some(let value): value.sqliteValue
        case .none: .null
        }
    }
}
