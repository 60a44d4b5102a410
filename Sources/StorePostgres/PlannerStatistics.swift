import Postgres
import Store

private enum SQL {
    static let known: StaticString = "SELECT reltuples::bigint FROM pg_catalog.pg_class WHERE oid = to_regclass('log')"
}

/// When the server should look at how large the tables have become.
///
/// Plans of prepared statements are kept. One made while a table was empty may read a whole index where it should look up one row, until the
/// table is analyzed: the server's own worker comes within minutes, and never to what is written in a schema of one process alone. By then
/// each write may have cost as much as all before it.
struct StatisticsSchedule {
    private var next: Int64 = 200

    /// - Parameter count: How many writes there were so far.
    mutating func isDue(after count: Int64) -> Bool {
        guard count >= next else { return false }
        while next <= count { next *= 10 }
        return true
    }
}

/// Has the tables analyzed on a connection and a queue of its own, while writers go on.
actor PlannerStatistics {
    private let executor = SerialQueueExecutor(label: "store.statistics")
    private let target: Target

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ target: Target) { self.target = target }

    /// Looks at all tables, unless the server has seen them when they were as large as that.
    ///
    /// - Parameter count: How many writes there were so far, each an entry of the log or more.
    func refresh(after count: Int64) throws(StoreError) {
        let session = PostgresSession(target)
        let known = try session.postgres { try $0.first("statistics.known", SQL.known) { try $0.int64(0) } } ?? -1
        if known < count { try session.analyze() }
        session.disconnect()
    }
}

extension PostgresSession {
    /// Tells the planner how large the tables of this schema are. Plans that were made before are made anew.
    func analyze() throws(StoreError) {
        let tables = try postgres { try $0.tables() }
        try postgres { try $0.executeScript("statistics.analyze", "ANALYZE \(tables.joined(separator: ", "))") }
    }
}
