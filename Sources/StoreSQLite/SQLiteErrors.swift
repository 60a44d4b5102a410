import SQLite
import Store

extension StoreError {
    /// - Parameter database: The file's name, for the operator.
    init(_ error: SQLiteError, database: String) {
        let (code, detail) = StoreError.meaning(of: error, database)
        self.init(code: code, operation: "\(error.operation)", detail: detail)
    }

    /// Any error that a transaction may end with.
    init(_ error: any Error, database: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self.init(error, database: database)
        default: preconditionFailure("a transaction threw \(type(of: error)), which is neither its body's error nor SQLite's")
        }
    }

    private static func meaning(of error: SQLiteError, _ database: String) -> (Code, String) {
        switch error.code {
        case .busy: (.busy, "another process is writing to \(database): try again")
        case .full: (.unavailable, "the disk is full: free space on the volume of \(database)")
        case .readOnly: (.unavailable, "\(database) is read-only: check the permissions of the file and its folder")
        case .cannotOpen: (.unavailable, "\(error.message): check the path and the permissions of the folder")
        case .ioError: (.unavailable, "\(error.message): check the disk that holds \(database)")
        case .rolledBack: (.unavailable, "\(error.message): repeat the whole transaction")
        case .corrupt: (.corrupt, "\(error.message): stop the desk and restore \(database) from a backup")
        case .mismatch, .constraint: (.corrupt, "\(error.message): \(database) was edited or is not this version's")
        case .other: (.unavailable, "\(error.message) (SQLite code \(error.extendedCode)), in \(database)")
        }
    }
}
