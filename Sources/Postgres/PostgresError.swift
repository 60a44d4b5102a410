import CLibpq

/// A failure of PostgreSQL, of the way to it, or of reading what it returned.
package struct PostgresError: Error {
    package enum Code: Sendable {
        /// The server cannot be reached, or the connection broke; whether a commit under way was done is then unknown.
        case connectionLost
        /// The server does not take the user, the password, the database or the certificate.
        case refused
        /// Others were in the way: a serialization failure, a deadlock, a lock that was not to be had in time.
        case conflict
        /// A UNIQUE rule refused the change: somebody else wrote the same at the same time, or it was there.
        case unique
        /// No more connections, memory or disk.
        case exhausted
        /// The server only reads, as one does that another has taken over from.
        case readOnly
        /// It took longer than allowed.
        case timeout
        /// A NOT NULL, CHECK or FOREIGN KEY rule of the schema refused the change.
        case constraint
        /// A column holds another type than was asked for, or a value is none of its type.
        case mismatch
        /// The server says that stored bytes are damaged.
        case corrupt
        case other
    }

    package var code: Code
    /// PostgreSQL's five characters; empty where the failure is not the server's own.
    package var sqlState: String
    /// What was being done, for the operator.
    package var operation: StaticString
    /// The server's or libpq's words; never a bound value or a password.
    package var message: String
    /// The error that reading a row threw, if it was not this module's.
    package var cause: (any Error)?

    /// Whether the same call, or for a transaction the whole of it, may succeed later, unchanged.
    package var isRetryable: Bool {
        switch code {
        case .connectionLost, .conflict, .unique, .exhausted, .readOnly, .timeout: true
        case .refused, .constraint, .mismatch, .corrupt, .other: false
        }
    }

    init(_ code: Code, _ operation: StaticString, _ message: String, sqlState: String = "", cause: (any Error)? = nil) {
        self.code = code
        self.sqlState = sqlState
        self.operation = operation
        self.message = message
        self.cause = cause
    }
}

extension PostgresError {
    package static func connectionLost(_ operation: StaticString) -> PostgresError {
        PostgresError(.connectionLost, operation, "the connection broke")
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String { "\(operation): \(message)\(sqlState.isEmpty ? "" : " (SQLSTATE \(sqlState))")" }
}

extension PostgresError.Code {
    /// - Source: PostgreSQL 15, Appendix A.
    init(sqlState: String) {
        self =
            switch sqlState {
            case "40001", "40P01", "55P03": .conflict
            case "23505": .unique
            case "25006": .readOnly
            case "57014": .timeout
            case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
            case "XX001", "XX002": .corrupt
            case "3D000": .refused
            default: Self(sqlClass: sqlState.prefix(2))
            }
    }

    private init(sqlClass: Substring) {
        self =
            switch sqlClass {
            case "08": .connectionLost
            case "22": .mismatch
            case "23": .constraint
            case "28": .refused
            case "53", "58": .exhausted
            default: .other
            }
    }
}

extension PostgresError {
    /// What a result reports.
    ///
    /// The primary message names tables and rules. Class 22 quotes the value it complains of, so there the number has to do.
    init(_ result: OpaquePointer?, _ operation: StaticString) {
        let state = unsafe clibpq_sqlstate(result).map { unsafe String(cString: $0) } ?? ""
        let message = unsafe clibpq_message(result).map { unsafe String(cString: $0) } ?? "the server reported a failure"
        self.init(
            Code(sqlState: state), operation, state.hasPrefix("22") ? "a value does not fit its column" : message, sqlState: state)
    }
}
