import AppStore
import Crypto
import Domain
import Foundation
import Ingest
import Server
import Store

/// Intake, reads, start, size and replay with much in the database already.
struct GrowthBench {
    let options: Options
    let sample: Sample

    func run(_ report: Report) async throws {
        for count in options.stored.sorted() {
            let folder = try DeskFolder(sample)
            defer { folder.remove() }
            try await Filling(sample, count: count).run(into: folder.databaseFile)
            report.add("database file with \(count) notifications, a purchase each", folder.databaseBytes / 1e6, "MB")
            report.add("the same for a million", folder.databaseBytes / Double(count), "MB")
            try await serve(folder, count, report)
        }
        if options.parts.contains(.replay) { try await replay(report) }
    }

    private func serve(_ folder: DeskFolder, _ count: Int, _ report: Report) async throws {
        let token = try ChildDesk.run(
            ["token", "create", "--config", folder.configuration, "--name", "bench", "--scope", "read"], options: options)
        let desk = try ChildDesk(folder, options: options)
        defer { desk.stop() }
        report.add("start with \(count) notifications stored", desk.startSeconds * 1e3, "ms")
        if options.parts.contains(.reads) {
            let before = desk.processorSeconds
            let reads = try await Load(ports: [desk.port], inFlight: 32).run(options.isQuick ? 12_000 : 40_000) { index in
                let customer = Filling.customer(Int(UInt64(index) &* 0x9E37_79B9_7F4A_7C15 % UInt64(count)))
                return RawConnection.get("/v1/apps/bench/customers/\(customer)/entitlements", token: token)
            }
            report.add("entitlement reads over HTTP, \(count) customers", reads.perSecond, "a second")
            report.add("an entitlement read at that load, p99", reads.latencies.quantile(0.99) * 1e3, "ms")
            report.add(
                "the desk's own processors for it", (desk.processorSeconds - before) / Double(reads.latencies.count) * 1e6, "us each",
                comparedWith: ["three bare verifications"])
        }
        guard options.parts.contains(.growth) else { return }
        let result = try await IntakeBench.post(sample, to: [desk.port])
        report.add("durable intake with \(count) notifications stored", result.perSecond, "notifications/s", comparedWith: ["intake"])
        report.add("memory then, most", desk.peakMegabytes, "MB")
    }

    private func replay(_ report: Report) async throws {
        let folder = try DeskFolder(sample)
        defer { folder.remove() }
        let desk = try ChildDesk(folder, options: options)
        _ = try await IntakeBench.post(sample, to: [desk.port])
        desk.stop()
        let start = ContinuousClock.now
        _ = try ChildDesk.run(["replay", "--config", folder.configuration, "--check"], options: options)
        let elapsed = start.duration(to: .now).seconds
        report.add("replay --check", Double(sample.bodies.count) / elapsed, "notifications/s", comparedWith: ["intake"])
    }
}

/// Fills a database with customers who bought once, by the store's own writes: what verified notifications would leave, without verifying.
private struct Filling {
    private let count: Int
    private let packed: PackedBody
    private let transaction: Snapshot<Transaction>
    private let renewal: Snapshot<RenewalInfo>?
    private let type: String

    static func customer(_ index: Int) -> String { "\(700_000_000_000_000 + index)" }

    init(_ sample: Sample, count: Int) throws {
        let body = sample.bodies[0]
        let root = try Certificate.fromPEMorDER(Array(Data(contentsOf: URL(filePath: sample.identity.path + "/root.pem"))))
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let verified = try SignedPayloadVerifier(roots: root).verifyNotification(body: body, now: now)
        guard let fact = verified.fact, let transaction = fact.transaction else { throw BenchFault("the sample has no transaction") }
        self.count = count
        packed = PackedBody.pack(body)
        self.transaction = transaction
        renewal = fact.renewal
        type = verified.rawNotificationType
    }

    func run(into file: String) async throws {
        let store = try await DeskCore.openStore(.sqlite(path: file))
        let ledger = Ledger(app: AppID("bench"), environment: .production)
        for batch in stride(from: 0, to: count, by: 2_000) {
            let end = min(batch + 2_000, count)
            try await store.write { tx throws(StoreError) in
                for index in batch..<end { try add(index, to: ledger, tx) }
            }
        }
        await store.close()
    }

    private func add(_ index: Int, to ledger: Ledger, _ tx: any WriteTransaction) throws(StoreError) {
        var copy = transaction
        let id = TransactionID("\(600_000_000_000_000 + index)")
        copy.value.transactionID = id
        copy.value.originalTransactionID = id
        copy.value.appTransactionID = AppTransactionID(Filling.customer(index))
        copy.value.appAccountToken = nil
        var entry = LogEntry(
            kind: .notification, identity: UUID().uuidString.lowercased(), ledger: ledger, source: .live,
            receivedAt: copy.precedence.signedDate,
            body: try StoredBody.encode(packed, tx))
        entry.rawNotificationType = type
        entry.transactionID = id
        entry.signedDate = copy.precedence.signedDate
        _ = try tx.append(entry)
        let names = [Alias(.originalTransactionID, id.rawValue), Alias(.appTransactionID, Filling.customer(index))]
        _ = try tx.join(names, in: ledger)
        try tx.put(Purchase(newest: copy), in: ledger)
        guard var renewal else { return }
        renewal.value.originalTransactionID = id
        var chain = Chain(originalTransactionID: id)
        chain.renewal = renewal
        try tx.put(chain, in: ledger)
    }
}
