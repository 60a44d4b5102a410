import CSQLite

/// How a connection waits for another's lock: it asks again every few milliseconds.
///
/// SQLite's own waiting soon asks only ten times a second. Beside a writer that takes the lock again at once, which leaves it free for a
/// fraction of each round, that is too seldom for seconds on end.
enum BusyWait {
    private static let longestPause: Int32 = 5

    /// - Parameter limit: After so long the call fails; zero or less fails at once.
    static func install(on handle: OpaquePointer, limit: Duration) {
        let milliseconds = Int(min(max(limit / .milliseconds(1), 0), Double(Int32.max)))
        // The limit itself is the handler's context, which is never followed as a pointer.
        let context = unsafe UnsafeMutableRawPointer(bitPattern: milliseconds)
        unsafe sqlite3_busy_handler(handle, { BusyWait.goesOn(Int(bitPattern: $0), $1) }, context)
    }

    private static func goesOn(_ limit: Int, _ round: Int32) -> Int32 {
        guard waited(before: round) < limit else { return 0 }
        sqlite3_sleep(pause(round))
        return 1
    }

    /// 1, 2, 3, 4, then 5 milliseconds each.
    private static func pause(_ round: Int32) -> Int32 { min(round, longestPause - 1) + 1 }

    private static func waited(before round: Int32) -> Int {
        let (count, longest) = (Int(round), Int(longestPause))
        return count < longest ? count * (count + 1) / 2 : longest * (longest + 1) / 2 + (count - longest) * longest
    }
}
