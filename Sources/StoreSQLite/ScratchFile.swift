import Foundation
import SQLite
import Store

private enum SQL {
    static let journal: StaticString = "PRAGMA journal_mode = MEMORY"
    static let synchronous: StaticString = "PRAGMA synchronous = OFF"
}

/// A database beside another one that is thrown away: it stands on a disk that has room, and no promise is made of it.
struct ScratchFile: Sendable {
    let path: String

    init(beside path: String) {
        self.path = "\(path).replay-\(UInt32.random(in: .min ... .max))"
    }

    func remove() {
        for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// Opens it, with the given schema; what it held stays.
    func open(_ schema: [Migration], headersFrom source: SQLiteSession) throws(StoreError) -> SQLiteSession {
        let session = try SQLiteSession.opened(path, .readWriteCreate, as: .writer) { connection in
            _ = try connection.first("replay.open", SQL.journal) { try $0.text(0) }
            try connection.run("replay.open", SQL.synchronous)
        }
        try session.migrate(by: schema, at: .init(milliseconds: 0))
        session.jwsHeaderSource = source
        return session
    }
}
