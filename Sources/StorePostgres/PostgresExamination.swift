import Postgres
import Store

private enum SQL {
    static let server: StaticString = """
        SELECT current_setting('server_version'), pg_database_size(current_database()), pg_is_in_recovery(),
            current_setting('max_connections')::bigint
        """
    static let steps: StaticString = "SELECT coalesce(max(number), 0), count(*) FROM migrations"
}

/// What can be seen of a database without changing it.
package struct PostgresExamination: Sendable {
    /// Host, port and name.
    package var name: String
    package var serverVersion: String
    package var bytes: Int64
    /// Whether it follows another server and cannot be written to.
    package var isReadOnly: Bool
    /// The newest step of the schema, and how many were taken; nil where there is no desk's schema yet.
    package var steps: (newest: Int, count: Int)?
    /// Whether there are tables of another program.
    package var isForeign: Bool
    /// How many connections the server takes, and how many one desk wants.
    package var connectionLimit: Int64
    package var connectionsWanted: Int

    /// - Throws: `unavailable` where it cannot be reached.
    package init(url: String) async throws(StoreError) {
        self = try await Examiner().examine(url)
    }

    fileprivate init(_ session: PostgresSession) throws(StoreError) {
        let server = try session.postgres { connection in
            try connection.first("examine.server", SQL.server) { row in
                (version: try row.text(0), bytes: try row.int64(1), isReadOnly: try row.bool(2), limit: try row.int64(3))
            }
        }
        let tables = try session.postgres { try $0.tables() }
        let isOurs = tables.contains("migrations")
        name = session.database
        serverVersion = server?.version.split(separator: " ").first.map(String.init) ?? "?"
        bytes = server?.bytes ?? 0
        isReadOnly = server?.isReadOnly ?? false
        if isOurs {
            steps = try session.postgres { connection in
                try connection.first("examine.steps", SQL.steps) { (newest: try $0.int(0), count: try $0.int(1)) }
            }
        }
        isForeign = !isOurs && !tables.isEmpty
        connectionLimit = server?.limit ?? 0
        connectionsWanted = PostgresStore.connectionCount(session.target)
    }
}

/// Connects on a queue of its own.
private actor Examiner {
    private let executor = SerialQueueExecutor(label: "store.examine")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func examine(_ url: String) throws(StoreError) -> PostgresExamination {
        let target: Target
        do { target = try Target(url: url) } catch { throw StoreError(error, database: "the database") }
        return try PostgresExamination(PostgresSession(target))
    }
}
