import Domain

/// The file system that holds the database.
package struct DiskUsage: Hashable, Sendable {
    package var freeBytes: Int64
    package var totalBytes: Int64
    /// The database with its write-ahead log.
    package var databaseBytes: Int64

    package init(freeBytes: Int64, totalBytes: Int64, databaseBytes: Int64) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        self.databaseBytes = databaseBytes
    }

    private static let gigabyte: Int64 = 1_000_000_000

    /// Why there is too little room now; nil where there is enough.
    package var shortage: String? {
        let percent = totalBytes > 0 ? freeBytes * 100 / totalBytes : 100
        guard percent < 10 || freeBytes < DiskUsage.gigabyte else { return nil }
        return "\(sizeText(freeBytes)) free, \(percent) % of the file system; the database takes \(sizeText(databaseBytes))."
    }
}

/// What free space did lately, and when it will be gone.
package struct DiskForecast: Sendable {
    private var samples: [(at: Timestamp, free: Int64)] = []
    private static let reach = Span.days(1)
    private static let shortest = Span.hours(6)
    private static let horizon = Span.days(3)

    package init() {}

    /// - Returns: In how long the disk is full at the pace of the last day, if that is within three days; needs six hours of sight.
    package mutating func fills(_ usage: DiskUsage, at now: Timestamp) -> Span? {
        if samples.last.map({ now - $0.at >= .minutes(10) }) ?? true { samples.append((now, usage.freeBytes)) }
        samples.removeAll { now - $0.at > DiskForecast.reach }
        guard let first = samples.first, now - first.at >= DiskForecast.shortest, first.free > usage.freeBytes else { return nil }
        let perMillisecond = Double(first.free - usage.freeBytes) / Double((now - first.at).milliseconds)
        let left = Double(usage.freeBytes) / perMillisecond
        return left < Double(DiskForecast.horizon.milliseconds) ? Span(milliseconds: Int64(left)) : nil
    }
}

/// Bytes as people read them.
package func sizeText(_ bytes: Int64) -> String {
    let units: [(Int64, String)] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
    guard let (unit, name) = units.first(where: { bytes >= $0.0 }) else { return "\(bytes) bytes" }
    let tenths = bytes / (unit / 10)
    return "\(tenths / 10).\(tenths % 10) \(name)"
}
