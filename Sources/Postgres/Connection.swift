import CLibpq

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection in pipeline mode: statements are sent without waiting, and their results are read once one of them is needed.
///
/// It takes no lock of its own: one actor or thread owns it. Once ``isLost`` it is good for nothing more; its owner opens another.
@safe package final class Connection {
    private let handle: OpaquePointer
    package let target: Target
    /// The names of prepared statements by the address of their SQL, which a `StaticString` keeps for good.
    private var names: [UInt: String] = [:]
    /// Whose results are still to be read, oldest first.
    private var pending: [Pending] = []
    /// Whether the way to the server is gone, or it did not answer in time.
    package private(set) var isLost = false
    /// Whether a statement of the transaction failed, so that nothing can follow but its end.
    package var hasFailed: Bool { failed != nil }
    /// Why the transaction has failed.
    package internal(set) var failed: PostgresError?
    var isInTransaction = false

    private struct Pending {
        enum Kind { case statement, preparation(UInt), sync }
        var kind: Kind
        var operation: StaticString
        var isSync: Bool { if case .sync = kind { true } else { false } }
    }

    /// How long the server may work on one statement, and wait for one lock. The client waits a little longer before it gives up.
    static let statementLimit = 30_000
    static let lockLimit = 20_000

    /// Connects, within some seconds unless the URL says otherwise.
    package init(_ target: Target) throws(PostgresError) {
        self.target = target
        unsafe handle = try Connection.open(target)
        guard unsafe PQenterPipelineMode(handle) == 1, unsafe PQsetnonblocking(handle, 1) == 0 else {
            throw failure("postgres.open")
        }
        if target.pooling == .session { try configure() }
    }

    deinit { unsafe PQfinish(handle) }

    private func configure() throws(PostgresError) {
        try send("postgres.open", SQL.limits, [Value.bool(false), target.schema])
        try synchronize("postgres.open")
        _ = try drain("postgres.open")
    }

    enum SQL {
        /// Limits of time; a commit counts once it is on the server's disk, whatever the server's default. Parameter 1: for the
        /// transaction alone.
        static let limits: StaticString = """
            SELECT set_config('statement_timeout', '30000', $1::bool), set_config('lock_timeout', '20000', $1::bool),
                set_config('idle_in_transaction_session_timeout', '60000', $1::bool),
                CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', $1::bool) END,
                CASE WHEN $2::text IS NOT NULL THEN set_config('search_path', quote_ident($2::text), $1::bool) END
            """
    }
}

extension Connection {
    /// Sends a statement without waiting for its end.
    func send(_ operation: StaticString, _ sql: StaticString, _ bindings: [any Bindable]) throws(PostgresError) {
        guard !isLost else { throw PostgresError(.connectionLost, operation, "the connection is gone") }
        let name = try preparedName(operation, sql)
        let sent = unsafe Parameters(bindings).withPointers { count, values, lengths, formats in
            if let name { return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) }
            return unsafe PQsendQueryParams(handle, Connection.text(sql), count, nil, values, lengths, formats, 1)
        }
        guard sent == 1 else { throw lost(operation) }
        pending.append(Pending(kind: .statement, operation: operation))
    }

    /// Sends a statement that is no literal: of the program's own making, without values in it.
    func send(_ operation: StaticString, dynamic sql: String) throws(PostgresError) {
        guard !isLost else { throw PostgresError(.connectionLost, operation, "the connection is gone") }
        guard unsafe PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost(operation) }
        pending.append(Pending(kind: .statement, operation: operation))
    }

    /// Prepares a statement when it is met for the first time; the same round trip carries both. nil where it can have no name.
    private func preparedName(_ operation: StaticString, _ sql: StaticString) throws(PostgresError) -> String? {
        guard target.pooling == .session else { return nil }
        let key = unsafe UInt(bitPattern: sql.utf8Start)
        if let name = names[key] { return name }
        let name = "s\(names.count)_\(key)"
        guard unsafe PQsendPrepare(handle, name, Connection.text(sql), 0, nil) == 1 else { throw lost(operation) }
        names[key] = name
        pending.append(Pending(kind: .preparation(key), operation: operation))
        return name
    }

    /// A literal's text, which ends in a zero.
    private static func text(_ sql: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Marks a point up to which the server gives everything, also after a failure.
    func synchronize(_ operation: StaticString) throws(PostgresError) {
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost(operation) }
        pending.append(Pending(kind: .sync, operation: operation))
    }

    /// Sends what waits to be sent, as far as the socket takes it, without waiting for an answer.
    func flush(_ operation: StaticString) throws(PostgresError) {
        if unsafe PQflush(handle) < 0 { throw lost(operation) }
    }

    /// Reads the results of all that was sent.
    ///
    /// - Returns: The last statement's; nil where there was none.
    /// - Throws: The first failure, by the name of the statement that failed.
    func drain(_ operation: StaticString) throws(PostgresError) -> QueryResult? {
        if case .statement? = pending.last?.kind, unsafe PQsendFlushRequest(handle) != 1 { throw lost(operation) }
        var last: QueryResult?
        var first: PostgresError?
        var next = 0
        while next < pending.count {
            let expected = pending[next]
            next += 1
            guard let result = try receive(expected.operation) else { throw lost(expected.operation) }
            if case .sync = expected.kind { continue }
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: last = result
            case PGRES_PIPELINE_ABORTED: forget(expected)
            default:
                first = unsafe first ?? PostgresError(result.handle, expected.operation)
                forget(expected)
                failed = first
                try checkAlive(first)
            }
            guard try receive(expected.operation) == nil else { throw lost(expected.operation) }
            // The server is silent from a failure to the next such point.
            if first != nil, !pending[next...].contains(where: \.isSync) { try synchronize(operation) }
        }
        pending.removeAll(keepingCapacity: true)
        if let first { throw first }
        return last
    }

    /// A statement whose preparation failed, or was skipped, has no name.
    private func forget(_ expected: Pending) {
        if case .preparation(let key) = expected.kind { names[key] = nil }
    }

    private func checkAlive(_ error: PostgresError?) throws(PostgresError) {
        guard unsafe PQstatus(handle) != CONNECTION_OK || error?.code == .connectionLost else { return }
        isLost = true
        if let error { throw error }
    }

    /// The next result; nil at the end of one statement's.
    private func receive(_ operation: StaticString) throws(PostgresError) -> QueryResult? {
        while true {
            let unsent = unsafe PQflush(handle)
            guard unsent >= 0 else { throw lost(operation) }
            if unsafe PQisBusy(handle) == 0 { return unsafe PQgetResult(handle).map { unsafe QueryResult($0) } }
            try wait(operation, sending: unsent > 0, milliseconds: Connection.statementLimit + 15_000)
            guard unsafe PQconsumeInput(handle) == 1 else { throw lost(operation) }
        }
    }

    private func wait(_ operation: StaticString, sending: Bool, milliseconds: Int) throws(PostgresError) {
        var place = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN | (sending ? POLLOUT : 0)), revents: 0)
        while true {
            let count = unsafe poll(&place, 1, Int32(milliseconds))
            if count > 0 { return }
            if count < 0, errno == EINTR { continue }
            isLost = true
            throw PostgresError(.connectionLost, operation, "the server did not answer in time")
        }
    }

    func lost(_ operation: StaticString) -> PostgresError {
        isLost = true
        let error = failure(operation)
        return PostgresError(.connectionLost, operation, error.message.isEmpty ? "the connection broke" : error.message)
    }

    private func failure(_ operation: StaticString) -> PostgresError {
        unsafe PostgresError(.connectionLost, operation, target.redacted(String(cString: PQerrorMessage(handle))))
    }

    /// Gives the connection up: what is under way on it is over.
    func abandon() { isLost = true }

    /// Runs `body` with a table that takes rows in, outside the pipeline.
    package func copyIn(_ table: String, columns: [String], _ body: (CopyIn) throws -> Void) throws {
        _ = try drain("postgres.copy")
        try synchronize("postgres.copy")
        _ = try drain("postgres.copy")
        guard unsafe PQexitPipelineMode(handle) == 1, unsafe PQsetnonblocking(handle, 0) == 0 else { throw lost("postgres.copy") }
        let copy = unsafe try CopyIn(table, columns: columns, on: self, handle)
        do {
            try body(copy)
            try copy.finish()
        } catch {
            abandon()  // A COPY that was begun can only be finished or cut off.
            throw error
        }
        guard unsafe PQenterPipelineMode(handle) == 1, unsafe PQsetnonblocking(handle, 1) == 0 else { throw lost("postgres.copy") }
    }

    /// Runs any number of statements without parameters, outside the pipeline and without a limit of time of the client's.
    package func executeScript(_ operation: StaticString, _ sql: String) throws(PostgresError) {
        guard !isLost else { throw PostgresError(.connectionLost, operation, "the connection is gone") }
        _ = try drain(operation)
        try synchronize(operation)
        _ = try drain(operation)
        guard unsafe PQexitPipelineMode(handle) == 1 else { throw lost(operation) }
        let result = unsafe PQexec(handle, sql).map { unsafe QueryResult($0) }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost(operation) }
        guard let result else { throw lost(operation) }
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
        default:
            let error = unsafe PostgresError(result.handle, operation)
            failed = error
            try checkAlive(error)
            throw error
        }
    }
}
