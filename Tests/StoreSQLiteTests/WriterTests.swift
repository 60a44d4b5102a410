import Dispatch
import Domain
import SQLite
import Store
import StoreConformance
import Synchronization
import Testing

@testable import StoreSQLite

@Suite struct WriterTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await SQLiteStore.open(path: folder.file("desk.db"), now: at(0))
    }

    /// Lets the given number of bodies queue up behind one that holds the writer, then lets all go.
    private func queueUp(_ count: Int, _ body: @escaping @Sendable (Int) -> Writing<Void>) async throws -> [StoreError?] {
        let store = store
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Atomic(false)
        async let first: Void = store.write { _ throws(StoreError) in
            isHeld.store(true, ordering: .releasing)
            gate.wait()
        }
        while !isHeld.load(ordering: .acquiring) { await Task.yield() }
        let errors = await withTaskGroup(of: StoreError?.self) { group in
            for index in 0..<count { group.addTask { await failure { try await store.write(body(index)) } } }
            while store.writer.waiting < count { await Task.yield() }
            gate.signal()
            return await group.reduce(into: []) { $0.append($1) }
        }
        try await first
        return errors
    }

    @Test func aThousandWritesShareAFewCommits() async throws {
        let before = await store.writer.commitCount
        let errors = try await queueUp(1_000) { index in
            { tx throws(StoreError) in _ = try tx.append(.notification("uuid-\(index)")) }
        }
        #expect(errors.allSatisfy { $0 == nil })
        // The one that held the writer, and four times up to 256.
        #expect(await store.writer.commitCount - before == 5)
        let last = try await store.read { tx throws(StoreError) in try tx.logEntries(LogQuery(app: demo.app, environment: nil)) }
        #expect(last.items.first?.sequence == 1_000)
        await store.close()
    }

    @Test func aFullDiskFailsWhatDoesNotFitAndKeepsTheRest() async throws {
        try await store.writer.alone { session throws(StoreError) in
            try session.sqlite { connection in
                let pages = try connection.first("test.pages", "PRAGMA page_count") { try $0.int(0) }
                #expect((pages ?? 0) < 100)
                _ = try connection.first("test.limit", "PRAGMA max_page_count = 100") { try $0.int(0) }
            }
        }
        let errors = try await queueUp(100) { index in
            { tx throws(StoreError) in
                var entry = LogEntry.notification("uuid-\(index)")
                entry.body = [UInt8](repeating: 1, count: 100_000)
                _ = try tx.append(entry)
            }
        }
        let failed = errors.compactMap(\.self)
        #expect(!failed.isEmpty)
        #expect(failed.allSatisfy { $0.code == .unavailable && $0.isRetryable })
        #expect(failed.allSatisfy { $0.detail == "the disk is full: free space on the volume of desk.db" }, "\(failed[0])")
        try await store.writer.alone { session throws(StoreError) in
            _ = try session.sqlite { try $0.first("test.limit", "PRAGMA max_page_count = 100000") { try $0.int(0) } }
        }
        // Exactly those that returned without an error are there, and writing goes on.
        let kept = try await store.pages(of: 200) { tx, page throws(StoreError) in
            try tx.logEntries(LogQuery(app: demo.app, environment: nil, page: page))
        }.joined().count
        #expect(kept == errors.count - failed.count)
        try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("after")) }
        await store.close()
    }

    @Test func anotherProcessesLockIsBusyForAllOfABatch() async throws {
        try await store.writer.alone { session throws(StoreError) in
            try session.sqlite { _ = try $0.first("test.timeout", "PRAGMA busy_timeout = 0") { try $0.int(0) } }
        }
        let elsewhere = try Connection(path: folder.file("desk.db"), mode: .readWriteCreate)
        try elsewhere.run("test.lock", "BEGIN IMMEDIATE")
        let errors = await withTaskGroup(of: StoreError?.self) { [store] group in
            for index in 0..<10 {
                group.addTask {
                    await failure { try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("uuid-\(index)")) } }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.allSatisfy { $0?.code == .busy && $0?.isRetryable == true })
        try elsewhere.run("test.unlock", "ROLLBACK")
        try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("uuid-1")) }
        await store.close()
    }

    @Test func whatWasAcknowledgedStandsInTheFileAtOnce() async throws {
        try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("uuid-1")) }
        let elsewhere = try Connection(path: folder.file("desk.db"), mode: .readOnly)
        #expect(try elsewhere.first("test.count", "SELECT count(*) FROM log") { try $0.int(0) } == 1)
        await store.close()
    }

    @Test(.timeLimit(.minutes(2))) func pagesMoveIntoTheFileWhileWritingGoesOn() async throws {
        let before = try folder.size(of: "desk.db")
        var entries = 0
        while try folder.size(of: "desk.db") == before {
            let first = entries
            try await store.write { tx throws(StoreError) in
                for index in first..<(first + 100) { _ = try tx.append(.notification("uuid-\(index)")) }
            }
            entries += 100
        }
        #expect(entries >= Int(Checkpointer.dueAfterChanges))
        await store.close()
    }

    @Test func aDatabaseInMemoryIsRefused() async throws {
        let error = await failure { try await SQLiteStore.open(path: ":memory:", now: at(0)) }
        #expect(error?.detail == "several connections share the database: name a file")
    }

    @Test func theFileAndItsLogAreTheOwnersAlone() async throws {
        try await store.write { tx throws(StoreError) in _ = try tx.append(.notification("uuid-1")) }
        for name in folder.files { #expect(try folder.mode(of: name) == 0o600, "\(name)") }
        #expect(folder.files.contains("desk.db-wal"))
        await store.close()
        #expect(folder.files == ["desk.db"])
    }
}
