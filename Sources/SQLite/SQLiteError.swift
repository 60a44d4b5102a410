import CSQLite

/// A failure of SQLite, or of reading what it returned.
package struct SQLiteError: Error {
    package enum Code: Sendable {
        /// Another connection held the lock for longer than the busy timeout.
        case busy
        /// The disk is full, or the database has reached its largest size.
        case full
        case readOnly
        /// The file is damaged, or no database at all.
        case corrupt
        /// A UNIQUE, NOT NULL, CHECK or FOREIGN KEY rule of the schema refused the change.
        case constraint
        case cannotOpen
        case ioError
        /// A column holds another type than was asked for.
        case mismatch
        /// An earlier failure has rolled back the whole transaction; nothing of it remains.
        case rolledBack
        case other
    }

    package var code: Code
    /// SQLite's extended result code; 0 where the failure is not SQLite's own.
    package var extendedCode: Int32
    /// What was being done, for the operator.
    package var operation: StaticString
    /// SQLite's words and, where a file is concerned, its path; never a bound value.
    package var message: String
    /// The error that reading a row threw, if it was not SQLite's.
    package var cause: (any Error)?

    /// Whether the same call, or for a transaction the whole of it, may succeed later, unchanged.
    package var isRetryable: Bool {
        switch code {
        case .busy, .full, .ioError, .rolledBack: true
        case .readOnly, .corrupt, .constraint, .cannotOpen, .mismatch, .other: false
        }
    }

    /// Whether the row exists already: a UNIQUE rule or a primary key refused the change.
    package var isUniqueViolation: Bool {
        extendedCode == SQLITE_CONSTRAINT | (8 << 8) || extendedCode == SQLITE_CONSTRAINT | (6 << 8)
    }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        let number = extendedCode == 0 ? "" : " (SQLite code \(extendedCode))"
        return "\(operation): \(message)\(number)\(code.advice.map { "; \($0)" } ?? "")"
    }
}

extension SQLiteError.Code {
    /// - Parameter result: A primary or extended result code.
    init(result: Int32) {
        self =
            switch result & 0xff {
            case SQLITE_BUSY, SQLITE_PROTOCOL: .busy
            case SQLITE_FULL: .full
            case SQLITE_READONLY: .readOnly
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_CANTOPEN, SQLITE_PERM: .cannotOpen
            case SQLITE_IOERR: .ioError
            default: .other
            }
    }

    fileprivate var advice: String? {
        switch self {
        case .busy: "another process or connection is writing; try again"
        case .full: "free disk space and try again"
        case .readOnly: "check the permissions of the file and its folder"
        case .corrupt: "restore the file from a backup"
        case .cannotOpen: "check the path and the permissions of its folder"
        case .ioError: "check the disk"
        case .mismatch: "the schema is not the one this version expects, or was edited"
        case .rolledBack: "repeat the whole transaction"
        case .constraint, .other: nil
        }
    }
}

extension SQLiteError {
    /// A failure that is not SQLite's own.
    init(_ code: Code, _ operation: StaticString, _ message: String, cause: (any Error)? = nil) {
        self.init(code: code, extendedCode: 0, operation: operation, message: message, cause: cause)
    }

    /// The failure that `database` reported last.
    init(_ result: Int32, _ operation: StaticString, on database: OpaquePointer?) {
        let message = unsafe database.map { unsafe String(cString: sqlite3_errmsg($0)) }
        self.init(
            code: Code(result: result), extendedCode: result, operation: operation,
            message: unsafe message ?? String(cString: sqlite3_errstr(result)))
    }
}
