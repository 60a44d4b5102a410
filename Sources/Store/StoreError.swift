/// A failure of the store.
package struct StoreError: Error {
    package enum Code: String, Sendable {
        /// Another writer holds the database; the same call may succeed in a moment.
        case busy
        /// The database cannot be reached, or its disk is full or read-only.
        case unavailable
        /// The stored bytes are not what they must be; a person has to look.
        case corrupt
        /// The database's schema is newer or older than this program knows.
        case schema
        /// The page's cursor is none that this list gave out; a client's mistake.
        case cursor
    }
    package var code: Code
    /// For the operator; never a bound value or a payload.
    package var operation: String
    package var detail: String

    package init(code: Code, operation: String, detail: String) {
        self.code = code
        self.operation = operation
        self.detail = detail
    }

    /// Whether the same call may succeed later, unchanged.
    package var isRetryable: Bool { code == .busy || code == .unavailable }
}

extension StoreError: CustomStringConvertible {
    package var description: String { "\(operation): \(detail) (\(code.rawValue))" }
}
