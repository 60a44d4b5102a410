import Foundation
import Ingest

/// Measures the file system that holds a SQLite database.
struct DiskProbe: Sendable {
    let path: String

    /// nil where it cannot be measured.
    func measure() -> DiskUsage? {
        var system = statvfs()
        guard statvfs((path as NSString).deletingLastPathComponent, &system) == 0 else { return nil }
        let block = Int64(clamping: system.f_frsize)
        // What this user may fill, not what is kept for root.
        return DiskUsage(
            freeBytes: Int64(clamping: system.f_bavail).multipliedReportingOverflow(by: block).partialValue,
            totalBytes: Int64(clamping: system.f_blocks).multipliedReportingOverflow(by: block).partialValue,
            databaseBytes: ["", "-wal"].reduce(0) { $0 + DiskProbe.size(path + $1) })
    }

    private static func size(_ file: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
}

extension DatabaseLocation {
    /// nil where the database is elsewhere.
    var diskProbe: DiskProbe? { if case .sqlite(let path) = self { DiskProbe(path: path) } else { nil } }
}
