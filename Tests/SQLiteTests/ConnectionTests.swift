import Foundation
import SQLite
import Testing

@Suite struct ConnectionTests {
    @Test func filesAreTheOwnersAlone() throws {
        let folder = try TemporaryFolder()
        let connection = try itemDatabase(at: folder.file("a.db"))
        try connection.insert("a")
        for name in ["a.db", "a.db-wal", "a.db-shm"] { #expect(try folder.mode(of: name) == 0o600, "\(name)") }
    }

    /// A service with a user of its own opens what a command of root's made before.
    @Test(.enabled(if: NSUserName() == "root", "only root can give files away"))
    func whatRootMakesIsTheFoldersOwners() throws {
        let folder = try TemporaryFolder()
        let nobody = 65_534
        try FileManager.default.setAttributes([.ownerAccountID: nobody], ofItemAtPath: folder.path)
        let connection = try itemDatabase(at: folder.file("a.db"))
        try connection.insert("a")
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            let owner = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.ownerAccountID] as? Int
            #expect(owner == nobody, "\(name)")
        }
    }

    @Test func anExistingFileKeepsItsMode() throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "a.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("a.db"))
        _ = try itemDatabase(at: folder.file("a.db"))
        #expect(try folder.mode(of: "a.db") == 0o640)
    }

    /// SQLite removes the log when the last connection closes, which unfinalized statements would prevent.
    @Test func releasingClosesDespiteKeptStatements() throws {
        let folder = try TemporaryFolder()
        do {
            let connection = try itemDatabase(at: folder.file("a.db"))
            try connection.insert("a")
            #expect(try connection.names() == ["a"])
            #expect(folder.exists("a.db-wal"))
        }
        #expect(!folder.exists("a.db-wal"))
    }

    @Test func aCursorKeepsTheDatabaseOpenAndClosesItAfterwards() throws {
        let folder = try TemporaryFolder()
        func cursor() throws -> TableCursor {
            let connection = try itemDatabase(at: folder.file("a.db"))
            try connection.insert("a")
            return try TableCursor("item", columns: ["name"], on: connection)
        }
        do {
            var cursor = try cursor()
            #expect(try cursor.next() == [.text("a")])
        }
        #expect(!folder.exists("a.db-wal"))
    }

    @Test func readOnlyRefusesChanges() throws {
        let folder = try TemporaryFolder()
        let writer = try itemDatabase(at: folder.file("a.db"))
        try writer.insert("a")
        let reader = try Connection(path: folder.file("a.db"), mode: .readOnly)
        #expect(try reader.names() == ["a"])
        let error = failure { try reader.insert("b") }
        #expect(error?.code == .readOnly)
    }

    @Test func aMissingFileIsNotCreatedForReading() throws {
        let folder = try TemporaryFolder()
        let error = failure { try Connection(path: folder.file("none.db"), mode: .readOnly) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message == "\(folder.file("none.db")): unable to open database file, No such file or directory")
        #expect(!folder.exists("none.db"))
    }

    @Test func aMissingFolderIsNamed() throws {
        let folder = try TemporaryFolder()
        let error = failure { try Connection(path: folder.file("none/a.db"), mode: .readWriteCreate) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.hasSuffix("none/a.db: unable to open database file, No such file or directory") == true)
    }

    @Test func anotherFileIsNoDatabase() throws {
        let folder = try TemporaryFolder()
        try folder.write([UInt8](repeating: 65, count: 8192), to: "a.db")
        let error = failure { try Connection(path: folder.file("a.db"), mode: .readWriteCreate) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "\(folder.file("a.db")): file is not a database")
    }

    @Test func theWriteAheadLogIsDurable() throws {
        let folder = try TemporaryFolder()
        let connection = try itemDatabase(at: folder.file("a.db"))
        let settings = try connection.first(
            "test.settings", "SELECT (SELECT journal_mode FROM pragma_journal_mode), (SELECT synchronous FROM pragma_synchronous)"
        ) { try $0.values() }
        #expect(settings == [.text("wal"), .integer(2)])
        let memory = try Connection(path: ":memory:", mode: .readWriteCreate)
        #expect(failure { try memory.useWriteAheadLog() }?.code == .other)
    }

    @Test func aRunawayBusyTimeoutIsClamped() throws {
        _ = try Connection(path: ":memory:", mode: .readWriteCreate, busyTimeout: .seconds(Int64.max))
        _ = try Connection(path: ":memory:", mode: .readWriteCreate, busyTimeout: .seconds(-1))
    }
}
