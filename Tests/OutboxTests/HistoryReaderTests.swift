import Domain
import Store
import TestSupport
import Testing

@testable import AppStoreSimulator
@testable import Outbox

@Suite(.timeLimit(.minutes(1)))
struct HistoryReaderTests {
    private func window(_ world: World, onlyFailures: Bool = false) -> HistoryRead {
        HistoryRead(ledger: world.ledger, reader: .server, from: day(0) - .days(2), to: day(0), onlyFailures: onlyFailures, completes: true)
    }

    /// 45 requests of the last hours, the newest first, none delivered.
    private func fill(_ world: World, count: Int64 = 45) {
        let items = (0..<count).map {
            FakeApple.Item(notification: world.request($0, signed: day(0) - .minutes($0 * 60 + 1)), results: ["TIMED_OUT"])
        }
        world.apple.change { $0.history = items }
    }

    private func end(_ outcome: HistoryReader.Outcome) throws -> HistoryRead {
        guard case .ended(let read) = outcome else {
            Issue.record("not ended: \(outcome)")
            throw CancellationError()
        }
        return read
    }

    @Test func threePagesWithOneBody() async throws {
        let world = try await World()
        fill(world)
        let read = try end(try await world.reader.go(on: window(world), pages: 9))
        #expect(read.counts.seen == 45 && read.counts.new == 45 && read.counts.failedSends == 45 && read.pages == 3)
        #expect(Set(world.apple.historyCalls.map(\.body)).count == 1 && world.apple.historyCalls.count == 3)
        #expect(try await world.contact()?.completeUntil == day(0))
        #expect(try await world.contact()?.newestSendFailure?.at == day(0) - .minutes(1))
        let again = try end(try await world.reader.go(on: window(world), pages: 9))
        #expect(again.counts.new == 0 && again.counts.duplicates == 45)
        #expect(world.metrics.snapshot.first { $0.key.name == "refund_desk_apple_send_failures_total" }?.value == 90)
    }

    @Test func aRequestInsideItsWindowIsAnsweredAndALaterOneIsNot() async throws {
        let world = try await World()
        fill(world)
        _ = try await world.reader.go(on: window(world), pages: 9)
        #expect(try await world.depth(.answer) == 12, "one an hour, for twelve hours")
        let (ledger, late) = (world.ledger, TransactionID(String(2_000_000_000_000_000 + 13)))
        let decision = try await world.store.read { tx throws(StoreError) in try tx.decisions(late, in: ledger).last }
        #expect(decision?.decision.kind == .abstain && decision?.decision.because.map(\.rawValue) == ["window-closed"])
    }

    /// Whatever ends the process, the store tells where to go on; the page that was half taken comes again.
    @Test func itGoesOnWhereItWas() async throws {
        let world = try await World()
        fill(world)
        guard case .more = try await world.reader.go(on: window(world), pages: 1) else { Issue.record("ended early"); return }
        let kept = try #require(try await world.read())
        #expect(kept.counts.seen == 20 && kept.paginationToken != nil && kept.endedAt == nil)
        #expect(try await world.contact()?.completeUntil == nil, "half a window completes nothing")
        let read = try end(try await world.reader.go(on: kept, pages: 9))
        #expect(read.counts.seen == 45 && read.counts.new == 45)
        #expect(world.apple.historyCalls.count == 3)
    }

    @Test(arguments: [4_000_014, 4_000_017] as [Int64]) func aTokenNotTakenBeginsTheWindowAgain(_ code: Int64) async throws {
        let world = try await World()
        fill(world)
        world.apple.change { state in
            state.override = { [calls = Counter()] request, _ in
                request.path.contains("paginationToken") && calls.next() == 1 ? .error(code) : nil
            }
        }
        let read = try end(try await world.reader.go(on: window(world), pages: 9))
        #expect(read.restarts == 1 && read.counts.seen == 45 && read.counts.duplicates == 20)
        #expect(Set(world.apple.historyCalls.map(\.body)).count == 1, "the same window")
    }

    @Test func tokensThatAreNeverTakenEndTheReading() async throws {
        let world = try await World()
        fill(world)
        world.apple.change { $0.override = { request, _ in request.path.contains("paginationToken") ? .error(4_000_017) : nil } }
        guard case .stopped(let read, let obstacle) = try await world.reader.go(on: window(world), pages: 50) else {
            Issue.record("not stopped")
            return
        }
        #expect(!read.canGoOn && !obstacle.isRetryable && world.apple.historyCalls.count == 8)
        #expect(try await world.contact()?.failure?.text.contains("4000017") == true)
    }

    @Test func oneBadItemDoesNotStopTheRest() async throws {
        let world = try await World()
        fill(world, count: 3)
        world.apple.change { state in
            state.history[0].signedPayload = "no.jws.at-all"
            state.history[1].notification.bundleID = "com.somebody.else"
            state.history[2].signedPayload = nil
        }
        let read = try end(try await world.reader.go(on: window(world), pages: 9))
        #expect(read.counts.seen == 3 && read.counts.refused == 1 && read.counts.quarantined == 1 && read.counts.new == 1)
        #expect(try await world.contact()?.completeUntil == day(0))
    }

    @Test func moreWithoutATokenIsNoEnd() async throws {
        let world = try await World()
        world.apple.change { $0.override = { _, _ in .json(#"{"notificationHistory":[],"hasMore":true}"#) } }
        guard case .stopped = try await world.reader.go(on: window(world), pages: 9) else { Issue.record("not stopped"); return }
        #expect(world.apple.historyCalls.count == 1)
        #expect(try await world.contact()?.completeUntil == nil)
    }

    @Test func whoseNotificationFailedIsAskedAboutRefunds() async throws {
        let world = try await World()
        let (missed, told) = (
            world.message("ONE_TIME_CHARGE", 1, signed: day(0) - .hours(1)), world.message("ONE_TIME_CHARGE", 2, signed: day(0))
        )
        world.apple.change { $0.history = [.init(notification: missed, results: ["NO_RESPONSE", "SUCCESS"]), .init(notification: told)] }
        _ = try await world.reader.go(on: window(world), pages: 9)
        let ledger = world.ledger
        let row = try await world.store.read { tx throws(StoreError) in
            try tx.outboxRow(.refundHistory, subject: "7041", key: "history-\(day(0).milliseconds)", in: ledger)
        }
        #expect(row?.state == .pending)
        #expect(try await world.depth(.refundHistory) == 1)
    }
}
