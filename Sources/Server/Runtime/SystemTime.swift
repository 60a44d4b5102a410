import Domain
import Foundation

/// The machine's clock: the only place that reads it.
package struct SystemTime: Domain.Time {
    package init() {}

    package func now() -> Timestamp {
        var instant = timespec()
        clock_gettime(CLOCK_REALTIME, &instant)
        return Timestamp(milliseconds: Int64(instant.tv_sec) * 1_000 + Int64(instant.tv_nsec) / 1_000_000)
    }

    package func sleep(until instant: Timestamp) async throws {
        let wait = (instant - now()).milliseconds
        guard wait > 0 else { return try Task.checkCancellation() }
        try await Task.sleep(for: .milliseconds(wait))
    }
}
