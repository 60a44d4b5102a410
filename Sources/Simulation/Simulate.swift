import Domain
import Foundation

/// What became of one world.
package struct SeedReport: Sendable {
    package var seed: UInt64
    package var breaches: [Breach]
    /// SHA-256 of the whole chronicle, in hexadecimal.
    package var digest: String
    /// Everything that happened, one line each.
    package var chronicle: [String]
    package var steps: Int
    /// Figures: notifications, deliveries, crashes and so on.
    package var counts: [String: Int]

    /// For whoever has to find out: what broke, how to see it again, and what came before.
    package var description: String {
        let tail = chronicle.prefix { !$0.contains("BREACH") }.suffix(25)
        return """
            seed \(seed): \(breaches.map(\.description).joined(separator: "\n  "))
            again: REFUND_DESK_SEEDS=\(seed)..\(seed) swift test --filter SimulationTests
            before the first breach:
              \(tail.joined(separator: "\n  "))
            """
    }
}

/// Lets one world happen. Equal seeds give equal reports.
package func simulate(seed: UInt64, sabotage: Sabotage? = nil) async -> SeedReport {
    let folder = scratchFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let world = World(seed: seed, sabotage: sabotage, folder: folder)
    await world.run()
    let chronicle = world.chronicle
    return SeedReport(
        seed: seed, breaches: chronicle.breaches, digest: chronicle.digest, chronicle: chronicle.lines, steps: world.steps,
        counts: chronicle.counts)
}

/// Lets many worlds happen, so many at a time.
///
/// - Parameter each: Told of each world as it ends, in no particular order; false ends it all early.
package func simulate(
    _ seeds: ClosedRange<UInt64>, sabotage: Sabotage? = nil, atATime width: Int = ProcessInfo.processInfo.activeProcessorCount,
    each: (SeedReport) -> Bool
) async {
    await withTaskGroup(of: SeedReport.self) { group in
        var next = seeds.makeIterator()
        for _ in 0..<max(width, 1) {
            if let seed = next.next() { group.addTask { await simulate(seed: seed, sabotage: sabotage) } }
        }
        while let report = await group.next() {
            guard each(report) else { return group.cancelAll() }
            if let seed = next.next() { group.addTask { await simulate(seed: seed, sabotage: sabotage) } }
        }
    }
}

/// In memory where the system has such a place: what a world needs is order, not durability.
private func scratchFolder() -> String {
    let memory = "/dev/shm"
    let base = FileManager.default.isWritableFile(atPath: memory) ? memory + "/" : NSTemporaryDirectory()
    let folder = base + "refund-desk-world-\(UUID().uuidString)"
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
        preconditionFailure("no folder can be made in \(base): \(error)")
    }
    return folder
}
