import Domain
import Foundation
import HTTPClient
import Ingest
import Store
import StoreSQLite
import Synchronization
import Testing

@testable import Outbox

@Suite struct WatchmanTests {
    @Test func aSpikeIsToldOnceADay() async throws {
        let watch = try await Watch()
        for day in Int64(1)...20 { try await watch.requests(2, at: start - .days(day) - .hours(1)) }
        try await watch.step(at: start)
        #expect(try await watch.told() == [])
        try await watch.requests(9, at: start - .minutes(30))
        try await watch.step(at: start)
        #expect(try await watch.told() == [], "a small app stays quiet")
        try await watch.requests(1, at: start - .minutes(20))
        for minute in Int64(0)..<5 { try await watch.step(at: start + .minutes(minute)) }
        #expect(try await watch.told() == [.spike])
        try await watch.requests(30, at: start + .days(1))
        try await watch.step(at: start + .days(1) + .minutes(1))
        #expect(try await watch.told() == [.spike, .spike])
    }

    @Test func repeatsOfARequestAreOne() async throws {
        let watch = try await Watch()
        for _ in 0..<60 { try await watch.log("CONSUMPTION_REQUEST", transaction: "1", at: start - .minutes(5)) }
        try await watch.step(at: start)
        #expect(try await watch.told() == [])
    }

    @Test func silenceIsToldOnceAndFollowsTheRhythm() async throws {
        let watch = try await Watch()
        // Every hour by day, nothing at night for ten hours.
        for hour in Int64(0)..<(24 * 21) where hour % 24 < 14 { try await watch.log("DID_RENEW", at: start - .days(21) + .hours(hour)) }
        let last = start - .days(1) + .hours(13)
        try await watch.step(at: last)
        try await watch.step(at: last + .hours(12))
        #expect(try await watch.told() == [], "the night is usual")
        try await watch.step(at: last + .hours(24))
        try await watch.step(at: last + .hours(25))
        #expect(try await watch.told() == [.silence])
        try await watch.log("DID_RENEW", at: last + .hours(26))
        try await watch.step(at: last + .hours(27))
        try await watch.step(at: last + .hours(51))
        #expect(try await watch.told() == [.silence, .silence], "another silence is told anew")
    }

    @Test func aDeskThatWasDownDoesNotBlameApple() async throws {
        let watch = try await Watch()
        for hour in Int64(0)..<(24 * 14) { try await watch.log("DID_RENEW", at: start - .days(20) + .hours(hour)) }
        try await watch.step(at: start)
        try await watch.step(at: start + .minutes(59))
        #expect(try await watch.told() == [])
        try await watch.step(at: start + .minutes(61))
        #expect(try await watch.told() == [.silence])
    }

    @Test func littleHistorySaysNothing() async throws {
        let watch = try await Watch()
        for hour in Int64(0)..<9 { try await watch.log("DID_RENEW", at: start - .days(9) + .hours(24 * hour)) }
        try await watch.step(at: start)
        try await watch.step(at: start + .days(20))
        #expect(try await watch.told() == [])
    }

    @Test func aDiskThatIsFullOrFills() async throws {
        let watch = try await Watch()
        watch.disk.withLock { $0 = DiskUsage(freeBytes: 500_000_000_000, totalBytes: 1_000_000_000_000, databaseBytes: 7) }
        try await watch.step(at: start)
        #expect(watch.metrics.gaugeSnapshot.map(\.value) == [7, 500_000_000_000])
        watch.disk.withLock { $0?.freeBytes = 200_000_000_000 }
        try await watch.step(at: start + .hours(3))
        #expect(try await watch.told() == [], "three hours are no trend")
        try await watch.step(at: start + .hours(7))
        #expect(try await watch.told() == [.disk], "full in five hours")
        watch.disk.withLock { $0 = DiskUsage(freeBytes: 9, totalBytes: 100, databaseBytes: 7) }
        try await watch.step(at: start + .hours(8))
        #expect(try await watch.told() == [.disk], "once a day")
        try await watch.step(at: start + .days(1))
        #expect(try await watch.told() == [.disk, .disk])
    }

    @Test func whatAppleSaysOfItsOwnTries() async throws {
        let watch = try await Watch()
        try await watch.log("DID_RENEW", at: start - .hours(2))
        try await watch.fail(at: start - .hours(1))
        try await watch.step(at: start)
        #expect(try await watch.told() == [], "the desk was not listening then")
        try await watch.fail(at: start + .minutes(10))
        try await watch.step(at: start + .minutes(11))
        try await watch.fail(at: start + .minutes(20))
        try await watch.step(at: start + .minutes(21))
        #expect(try await watch.told() == [.silence])
        try await watch.log("DID_RENEW", at: start + .minutes(30))
        try await watch.step(at: start + .minutes(31))
        try await watch.fail(at: start + .minutes(40))
        try await watch.step(at: start + .minutes(41))
        #expect(try await watch.told() == [.silence, .silence])
    }
}

/// Noon UTC.
private let start = Timestamp(milliseconds: 20_800 * 86_400_000 + 43_200_000)

/// A watchman over a fresh database with one app and one place that is told everything.
private final class Watch: Sendable {
    let metrics = Metrics()
    let disk = Mutex<DiskUsage?>(nil)
    private let store: SQLiteStore
    private let folder: String
    private let watchman: Mutex<Watchman?> = Mutex(nil)
    private let count = Mutex(0)
    private let ledger = Ledger(app: AppID("acme"), environment: .production)

    init() async throws {
        folder = NSTemporaryDirectory() + "watch-tests-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try await SQLiteStore.open(path: folder + "/desk.db", now: start)
        let app = AppSettings(
            id: AppID("acme"), name: "Acme", bundleID: "com.acme.app", appAppleID: 1, environments: [.production, .sandbox],
            alerts: [AlertTarget(id: "0")])
        let desk = OutboxDesk(
            store: store, apps: AppDirectory([app]), client: HTTPClient(userAgent: "tests"), allowsPrivateTargets: true, time: NoTime(),
            metrics: metrics, jitter: { 0 })
        let made = Watchman(
            desk, apps: [app], measureDisk: { [weak self] in self?.disk.withLock { $0 } },
            report: { Issue.record("\($0)") })
        watchman.withLock { $0 = made }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func step(at now: Timestamp) async throws {
        let watchman = try #require(self.watchman.withLock { $0 })
        try await watchman.step(at: now)
    }

    func requests(_ number: Int, at instant: Timestamp) async throws {
        for _ in 0..<number { try await log("CONSUMPTION_REQUEST", at: instant) }
    }

    func log(_ type: String, transaction: String? = nil, at instant: Timestamp) async throws {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let ledger = ledger
        try await store.write { tx throws(StoreError) in
            var entry = LogEntry(
                kind: .notification, identity: "uuid-\(number)", ledger: ledger, source: .live, receivedAt: instant, body: [])
            entry.rawNotificationType = type
            entry.transactionID = TransactionID(transaction ?? "\(number)")
            entry.signedDate = instant
            _ = try tx.append(entry)
        }
    }

    /// Apple's history tells of a try that failed.
    func fail(at instant: Timestamp) async throws {
        let ledger = ledger
        try await store.write { tx throws(StoreError) in
            var contact = try tx.contact(of: ledger) ?? LedgerContact()
            contact.newestSendFailure = LedgerContact.SendFailure(at: instant, rawResult: "TLS_ISSUE")
            try tx.put(contact, of: ledger)
        }
    }

    /// The alerts that wait to be sent, oldest first.
    func told() async throws -> [AlertEvent] {
        try await store.read { tx throws(StoreError) in
            try tx.outboxEntries(OutboxQuery(app: AppID("acme"), state: .pending, kind: .alert)).items.reversed().compactMap {
                AlertEvent(rawValue: String($0.row.key.prefix { $0 != "/" }))
            }
        }
    }
}

private struct NoTime: Domain.Time {
    func now() -> Timestamp { start }
    func sleep(until instant: Timestamp) async throws { throw CancellationError() }
}
