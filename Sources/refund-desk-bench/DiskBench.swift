import Crypto
import Foundation
import SQLite

/// What the disk and SQLite themselves cost.
struct DiskBench {
    let rows: Int

    func run(_ report: Report) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refund-desk-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "sync").path(percentEncoded: false)
        guard FileManager.default.createFile(atPath: file, contents: nil), let handle = FileHandle(forWritingAtPath: file) else {
            throw BenchFault("\(file) cannot be written")
        }
        let block = Data(randomBytes(4_096))
        let syncs = max(rows / 5, 20)
        let sync = try seconds {
            for _ in 0..<syncs {
                try handle.write(contentsOf: block)
                try handle.synchronize()
            }
        }
        try handle.close()
        report.add("bare fsync of 4 KiB", sync / Double(syncs) * 1e3, "ms")
        let connection = try Connection(path: folder.appending(path: "bare.db").path(percentEncoded: false), mode: .readWriteCreate)
        try connection.useWriteAheadLog()
        try connection.executeScript("bench.schema", "CREATE TABLE t (id TEXT PRIMARY KEY, body BLOB NOT NULL)")
        let body = randomBytes(2_400)
        let elapsed = try seconds {
            try connection.transaction("bench.insert") {
                for index in 0..<rows { try connection.run("bench.insert", "INSERT INTO t VALUES (?1, ?2)", "\(index)", body) }
            }
        }
        report.add("bare SQLite insert of 2.4 kB, in one transaction", elapsed / Double(rows) * 1e6, "us")
    }
}
