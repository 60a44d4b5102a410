import Foundation
import SQLite
import Testing

@Suite struct MaintenanceTests {
    @Test func aBackupHoldsTheCommittedRows() throws {
        let folder = try TemporaryFolder()
        let connection = try itemDatabase(at: folder.file("a.db"))
        for index in 0..<2000 { try connection.insert("item \(index)") }
        try connection.backup(to: folder.file("b.db"))
        try connection.insert("later")
        let copy = try Connection(path: folder.file("b.db"), mode: .readOnly)
        #expect(try copy.names().count == 2000)
        #expect(try copy.integrityProblems() == [])
        #expect(try folder.mode(of: "b.db") == 0o600)
    }

    @Test func aBackupWorksBesideAWriter() throws {
        let folder = try TemporaryFolder()
        let writer = try itemDatabase(at: folder.file("a.db"))
        try writer.insert("a")
        let reader = try Connection(path: folder.file("a.db"), mode: .readOnly, busyTimeout: .zero)
        try writer.transaction("test.transaction") {
            try writer.insert("uncommitted")
            try reader.backup(to: folder.file("b.db"))
        }
        #expect(try Connection(path: folder.file("b.db"), mode: .readOnly).names() == ["a"])
    }

    @Test func aBackupNeverOverwrites() throws {
        let folder = try TemporaryFolder()
        let connection = try itemDatabase(at: folder.file("a.db"))
        try connection.insert("a")
        let error = failure { try connection.backup(to: folder.file("a.db")) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.hasSuffix("a.db: File exists") == true)
        #expect(try connection.names() == ["a"])
    }

    @Test func aFailedBackupLeavesNoFile() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection(path: folder.file("a.db"), mode: .readWriteCreate)  // Without a log, a writer can shut readers out.
        let reader = try Connection(path: folder.file("a.db"), mode: .readOnly, busyTimeout: .zero)
        try writer.run("test.lock", "BEGIN EXCLUSIVE")
        #expect(failure { try reader.backup(to: folder.file("b.db")) }?.code == .busy)
        #expect(!folder.exists("b.db"))
    }

    @Test func aDamagedPageIsCorrupt() throws {
        let folder = try TemporaryFolder()
        do {
            let connection = try itemDatabase(at: folder.file("a.db"))
            for index in 0..<2000 { try connection.insert("item \(index)") }
        }
        try damagePage(2, of: folder.file("a.db"))
        let connection = try Connection(path: folder.file("a.db"), mode: .readOnly)
        let error = failure { try connection.names() }
        #expect(error?.code == .corrupt && error?.isRetryable == false)
        #expect(try !connection.integrityProblems().isEmpty)
    }

    @Test func aCheckpointEmptiesTheLog() throws {
        let folder = try TemporaryFolder()
        let connection = try itemDatabase(at: folder.file("a.db"))
        try connection.insert("a")
        #expect(try connection.checkpoint() == 0)
        #expect(try connection.checkpoint(.truncate) == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: folder.file("a.db-wal"))[.size] as? Int == 0)
    }

    @Test func aCheckpointTellsWhatAReaderHoldsBack() throws {
        let folder = try TemporaryFolder()
        let connection = try itemDatabase(at: folder.file("a.db"))
        let reader = try Connection(path: folder.file("a.db"), mode: .readOnly)
        try connection.insert("a")
        try reader.transaction("test.snapshot", .read) {
            _ = try reader.names()
            try connection.insert("b")
            #expect(try connection.checkpoint() > 0)
            #expect(failure { try connection.checkpoint(.truncate) }?.code == .busy)
        }
    }

    @Test func cursorsCompareTablesInStep() throws {
        let first = try itemDatabase()
        let second = try itemDatabase()
        for name in ["b", "a", "c"] { try first.insert(name) }
        for name in ["c", "a", "b"] { try second.insert(name) }
        #expect(try first.tables() == ["item"])
        #expect(try first.columns(of: "item") == ["id", "name"])
        #expect(try first.columns(of: "none") == [])
        var left = try TableCursor("item", columns: ["name"], on: first)
        var right = try TableCursor("item", columns: ["name"], on: second)
        for name in ["a", "b", "c"] {
            #expect(try left.next() == [.text(name)])
            #expect(try right.next() == [.text(name)])
        }
        #expect(try left.next() == nil)
        #expect(try left.next() == nil)
    }

    @Test(arguments: [("none", ["name"]), ("item", ["none"]), ("item", []), ("it\"em", ["name"])])
    func aCursorOverNothingIsAnError(_ table: String, _ columns: [String]) throws {
        let connection = try itemDatabase()
        #expect(failure { _ = try TableCursor(table, columns: columns, on: connection) }?.code == .other)
    }

    private func damagePage(_ page: UInt64, of path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: (page - 1) * 4096)
        try handle.write(contentsOf: Data(repeating: 0xa5, count: 4096))
        try handle.close()
    }
}
