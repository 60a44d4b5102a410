import Foundation
import SQLite
import Synchronization
import Testing

private final class Flag: Sendable { let isUp = Atomic(false) }

@Suite struct TransactionTests {
    @Test func commitsOnReturn() throws {
        let connection = try itemDatabase()
        let count = try connection.transaction("test.transaction") {
            try connection.insert("a")
            return try connection.names().count
        }
        #expect(count == 1)
        #expect(try connection.names() == ["a"])
    }

    @Test func rollsBackOnError() throws {
        let connection = try itemDatabase()
        let error = failure {
            try connection.transaction("test.transaction") {
                try connection.insert("a")
                try connection.insert("a")
            }
        }
        #expect(error?.code == .constraint)
        #expect(try connection.names() == [])
        try connection.transaction("test.next") { try connection.insert("b") }
        #expect(try connection.names() == ["b"])
    }

    @Test func theBodysOwnErrorPassesUnchanged() throws {
        struct Refused: Error {}
        let connection = try itemDatabase()
        #expect(throws: Refused.self) {
            try connection.transaction("test.transaction") {
                try connection.insert("a")
                throw Refused()
            }
        }
        #expect(try connection.names() == [])
    }

    @Test func nestedSavepointsUndoTheirOwnChangesOnly() throws {
        let connection = try itemDatabase()
        try connection.transaction("test.transaction") {
            try connection.insert("a")
            try connection.savepoint("test.outer") {
                try connection.insert("b")
                let inner = failure {
                    try connection.savepoint("test.inner") {
                        try connection.insert("c")
                        try connection.insert("a")
                    }
                }
                #expect(inner?.isUniqueViolation == true)
                try connection.insert("d")
            }
            let last = failure {
                try connection.savepoint("test.last") {
                    try connection.savepoint("test.released") { try connection.insert("e") }
                    try connection.insert("a")
                }
            }
            #expect(last?.code == .constraint)
        }
        #expect(try connection.names() == ["a", "b", "d"])
    }

    @Test func nothingCommitsAloneAfterSQLiteRolledBack() throws {
        let connection = try itemDatabase()
        var after: SQLiteError?
        let error = failure {
            try connection.transaction("test.transaction") {
                try connection.insert("a")
                let cause = failure {
                    try connection.savepoint("test.savepoint") {
                        try connection.run("test.abort", "INSERT OR ROLLBACK INTO item (name) VALUES ('a')")
                    }
                }
                #expect(cause?.code == .constraint)
                after = failure { try connection.insert("b") }
            }
        }
        #expect(after?.code == .rolledBack)
        #expect(error?.code == .rolledBack && error?.isRetryable == true)
        #expect(try connection.names() == [])
    }

    @Test func aTransactionInsideAnotherIsRefusedAndLeavesItIntact() throws {
        let connection = try itemDatabase()
        try connection.transaction("test.outer") {
            try connection.insert("a")
            let error = failure { try connection.transaction("test.inner") {} }
            #expect(error?.message == "cannot start a transaction within a transaction")
            try connection.insert("b")
        }
        #expect(try connection.names() == ["a", "b"])
    }

    @Test func aSecondWriterIsBusyAndReadersGoOn() throws {
        let folder = try TemporaryFolder()
        let first = try itemDatabase(at: folder.file("a.db"))
        let second = try Connection(path: folder.file("a.db"), mode: .readWriteCreate, busyTimeout: .milliseconds(1))
        try first.transaction("test.first") {
            try first.insert("a")
            let error = failure { try second.insert("b") }
            #expect(error?.code == .busy && error?.isRetryable == true)
            #expect(try second.names() == [])
        }
        try second.insert("b")
        #expect(try first.names() == ["a", "b"])
    }

    /// A command beside a server that commits without a pause: the lock is free for a tenth of the time.
    @Test func aWriterThatNeverRestsStarvesNobody() throws {
        let folder = try TemporaryFolder()
        let patient = try Connection(path: folder.file("a.db"), mode: .readWriteCreate, busyTimeout: .milliseconds(700))
        try patient.useWriteAheadLog()
        try patient.executeScript("test.schema", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
        let (path, isOver) = (folder.file("a.db"), Flag())
        let (isHeld, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let restless = Thread {
            defer { ended.signal() }
            guard let connection = try? Connection(path: path, mode: .readWriteCreate) else { return }
            var round = 0
            while !isOver.isUp.load(ordering: .relaxed) {
                round += 1
                try? connection.transaction("test.restless") {
                    isHeld.signal()
                    Thread.sleep(forTimeInterval: 0.011 + Double(round * 7 % 23) / 1_000)
                }
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
        restless.start()
        defer {
            isOver.isUp.store(true, ordering: .relaxed)
            ended.wait()
        }
        for number in 0..<30 {
            while isHeld.wait(timeout: .now()) == .success {}
            isHeld.wait()
            try patient.insert("\(number)")
        }
    }

    @Test func aReadTransactionIsOneSnapshot() throws {
        let folder = try TemporaryFolder()
        let writer = try itemDatabase(at: folder.file("a.db"))
        let reader = try Connection(path: folder.file("a.db"), mode: .readOnly)
        try reader.transaction("test.snapshot", .read) {
            #expect(try reader.names() == [])
            try writer.insert("a")
            #expect(try reader.names() == [])
        }
        #expect(try reader.names() == ["a"])
    }
}
