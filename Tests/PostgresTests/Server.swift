import Foundation
import Postgres
import Testing

/// The PostgreSQL that tests may use: see `scripts/postgres`.
enum Server {
    static let url = ProcessInfo.processInfo.environment["REFUND_DESK_POSTGRES"]
    static let missing: Comment = "set REFUND_DESK_POSTGRES to the URL that `scripts/postgres start FOLDER` prints"

    static func connect(_ parameters: String = "") throws -> Connection {
        try Connection(Target(url: url.map { $0 + parameters } ?? ""))
    }
}
