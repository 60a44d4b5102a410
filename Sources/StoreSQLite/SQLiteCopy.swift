import Domain
import SQLite
import Store

private enum SQL {
    static let newest: StaticString = "SELECT coalesce(max(number), 0) FROM migrations"
}

extension SQLiteStore {
    /// Hands every row of every table to a sink, in one snapshot. The file is only read.
    ///
    /// - Parameters:
    ///   - isReady: Called with the number of rows, before the first of them.
    ///   - body: Gets, on the reading thread, what fills a sink.
    /// - Throws: `schema` where the file's schema is not this program's.
    package static func copy<Sink: DatabaseSink>(
        path: String, isReady: @escaping @Sendable (Int64) -> Void,
        into body: @escaping @Sendable ((Sink) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) async throws(StoreError) {
        try await Copier().copy(path, isReady, body)
    }
}

/// Reads a whole database on a queue of its own.
private actor Copier {
    private static let batch = 500
    private let executor = SerialQueueExecutor(label: "store.copy")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func copy<Sink: DatabaseSink>(
        _ path: String, _ isReady: (Int64) -> Void, _ body: ((Sink) throws(StoreError) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) {
        let session = try SQLiteSession.forReading(path)
        try session.transaction("copy.read", .read) {
            try session.requireCurrentSchema()
            let tables = DatabaseCopy.order(try session.sqlite { try $0.tables() })
            isReady(try session.rowCount(tables))
            try body { sink throws(StoreError) in
                for table in tables { try session.copy(table, into: sink, inBatchesOf: Copier.batch) }
            }
        }
    }
}

extension SQLiteSession {
    fileprivate func requireCurrentSchema() throws(StoreError) {
        let newest = try sqlite { try $0.first("copy.schema", SQL.newest) { try $0.int(0) } }
        guard newest == migrations.map(\.number).max() else {
            throw StoreError(
                code: .schema, operation: "copy.schema",
                detail: "\(database) has schema \(newest ?? 0), not \(migrations.map(\.number).max() ?? 0): run `migrate` on it first")
        }
    }

    fileprivate func rowCount(_ tables: [String]) throws(StoreError) -> Int64 {
        var count: Int64 = 0
        for table in tables { count += try sqlite { try $0.rowCount(of: table) } }
        return count
    }

    fileprivate func copy(_ table: String, into sink: some DatabaseSink, inBatchesOf size: Int) throws(StoreError) {
        let columns = try sqlite { try $0.columns(of: table) }
        var rows = try cursor(table, columns)
        var batch: [[StoredValue]] = []
        while let row = try rows.nextStored(self) {
            batch.append(row)
            if batch.count == size {
                try sink.put(batch, into: table, columns: columns)
                batch.removeAll(keepingCapacity: true)
            }
        }
        if !batch.isEmpty { try sink.put(batch, into: table, columns: columns) }
    }
}
