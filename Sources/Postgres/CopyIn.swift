import CLibpq

/// Takes rows into one table by COPY, the fastest way in. Lives inside one transaction; no other statement runs until it is finished.
@safe package final class CopyIn {
    private let connection: Connection
    private let handle: OpaquePointer
    private let columnCount: Int

    /// - Parameters:
    ///   - table: The program's own word, as are the columns.
    init(_ table: String, columns: [String], on connection: Connection, _ handle: OpaquePointer) throws(PostgresError) {
        self.connection = connection
        unsafe self.handle = handle
        columnCount = columns.count
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let result = unsafe PQexec(handle, "COPY \"\(table)\" (\(names)) FROM STDIN (FORMAT binary)").map { unsafe QueryResult($0) }
        guard let result, result.status == PGRES_COPY_IN else {
            throw unsafe PostgresError(result?.handle, "postgres.copy")
        }
        // Signature, no flags, no extension.
        try send(Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0x00] + [UInt8](repeating: 0, count: 8))
    }

    package func put(_ rows: [[Value]]) throws(PostgresError) {
        var bytes: [UInt8] = []
        for row in rows {
            precondition(row.count == columnCount, "a row of another table")
            bytes += Parameters(row).tuple
        }
        try send(bytes)
    }

    package func finish() throws(PostgresError) {
        try send([0xff, 0xff])
        guard unsafe PQputCopyEnd(handle, nil) == 1 else { throw connection.lost("postgres.copy") }
        var failed: PostgresError?
        while let result = unsafe PQgetResult(handle).map({ unsafe QueryResult($0) }) {
            if result.status != PGRES_COMMAND_OK { failed = unsafe PostgresError(result.handle, "postgres.copy") }
        }
        if let failed { throw failed }
    }

    private func send(_ bytes: [UInt8]) throws(PostgresError) {
        let sent = unsafe bytes.withUnsafeBytes { raw in
            unsafe PQputCopyData(handle, raw.bindMemory(to: CChar.self).baseAddress, Int32(raw.count))
        }
        guard sent == 1 else { throw connection.lost("postgres.copy") }
    }
}
