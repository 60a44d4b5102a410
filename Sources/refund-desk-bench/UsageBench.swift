import Domain
import Foundation
import Server
import Store

/// What it costs to sum the usage of one disputed month, however much was reported.
struct UsageBench {
    /// Of one customer, spread over a year.
    let events: Int

    func run(_ report: Report) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "refund-desk-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await DeskCore.openStore(.sqlite(path: folder.appending(path: "usage.db").path(percentEncoded: false)))
        let ledger = Ledger(app: AppID("bench"), environment: .production)
        let year = Int64(365 * 86_400_000)
        for batch in stride(from: 0, to: events, by: 5_000) {
            let end = min(batch + 5_000, events)
            try await store.write { [events] tx throws(StoreError) in
                for index in batch..<end {
                    let at = Timestamp(milliseconds: Int64(index) * year / Int64(events) + 7_777)
                    try tx.add(UsageFact(id: "", subject: .customer(ref: "c"), meter: "generations", millionths: 1, at: at), in: ledger)
                }
            }
        }
        // Neither edge lies on the beginning of a day or a minute.
        let from = Timestamp(milliseconds: 31 * 86_400_000 + 12_345_678)
        let to = from + .days(30)
        let rounds = 200
        let begin = Date()
        for _ in 0..<rounds {
            let sum = try await store.read { tx throws(StoreError) in
                _ = try tx.usage(of: .customer(ref: "c"), in: ledger)
                return try tx.usage(of: .customer(ref: "c"), meter: "generations", in: ledger, from: from, to: to)
            }
            guard sum > 0 else { throw BenchFault("no usage was found") }
        }
        let each = Date().timeIntervalSince(begin) / Double(rounds)
        await store.close()
        report.add("usage of one disputed month, of \(events) events in a year", each * 1e3, "ms")
    }
}
