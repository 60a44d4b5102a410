import Postgres
import Store

extension StoreError {
    /// - Parameter database: Host, port and name, for the operator.
    init(_ error: PostgresError, database: String) {
        let (code, detail) = StoreError.meaning(of: error, database)
        self.init(code: code, operation: "\(error.operation)", detail: detail)
    }

    /// Any error that a transaction may end with.
    init(_ error: any Error, database: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as PostgresError: self.init(error, database: database)
        case let doubt as PostgresError.CommitInDoubt:
            self.init(
                code: .unavailable, operation: "\(doubt.error.operation)",
                detail: "\(database) was lost while committing, so whether it is kept is unknown: \(doubt.error.message)")
        default: preconditionFailure("a transaction threw \(type(of: error)), which is neither its body's error nor PostgreSQL's")
        }
    }

    static func busy(_ operation: String, _ database: String) -> StoreError {
        StoreError(code: .busy, operation: operation, detail: "others are writing the same to \(database): try again")
    }

    private static func meaning(of error: PostgresError, _ database: String) -> (Code, String) {
        let words = error.message + (error.sqlState.isEmpty ? "" : " (SQLSTATE \(error.sqlState))")
        return switch error.code {
        case .conflict, .unique: (.busy, "others are writing the same to \(database): try again; \(words)")
        case .timeout: (.unavailable, "\(database) took too long: \(words)")
        case .connectionLost: (.unavailable, "\(database) cannot be reached: \(words)")
        case .refused: (.unavailable, "\(database) refuses the desk: \(words)")
        case .exhausted: (.unavailable, "\(database) is at its limit, of connections, memory or disk: \(words)")
        case .readOnly: (.unavailable, "\(database) only reads: name the primary, or add target_session_attrs=read-write; \(words)")
        case .corrupt: (.corrupt, "\(words): restore \(database) from a backup")
        case .mismatch, .constraint: (.corrupt, "\(words): \(database) was edited or is not this version's")
        // A prepared statement is not there, or is there already: another session answered than the one that was asked before.
        case .other where ["26000", "42P05"].contains(error.sqlState):
            (
                .unavailable,
                "a pooler before \(database) changes sessions between transactions: add pooling=transaction to the URL, or let it keep "
                    + "sessions; \(words)"
            )
        case .other: (.unavailable, "\(words), in \(database)")
        }
    }
}
