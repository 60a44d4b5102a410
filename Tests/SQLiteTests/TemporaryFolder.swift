import Foundation
import SQLite
import Testing

/// A folder that vanishes with its last use.
final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-tests-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }
}

/// A table `item(id, name)` in a new database.
func itemDatabase(at path: String = ":memory:") throws -> Connection {
    let connection = try Connection(path: path, mode: .readWriteCreate, busyTimeout: .zero)
    if path != ":memory:" { try connection.useWriteAheadLog() }
    try connection.executeScript("test.schema", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
    return connection
}

extension Connection {
    func insert(_ name: String) throws(SQLiteError) {
        try run("test.insert", "INSERT INTO item (name) VALUES (?1)", name)
    }

    func names() throws(SQLiteError) -> [String] {
        try rows("test.names", "SELECT name FROM item ORDER BY id") { try $0.text(0) }
    }
}

/// The error of SQLite that `body` throws, if any.
func failure<Result>(_ body: () throws -> Result) -> SQLiteError? {
    do {
        _ = try body()
        return nil
    } catch {
        if !(error is SQLiteError) { Issue.record(error) }
        return error as? SQLiteError
    }
}
