import Domain
import Store
import TestSupport
import Testing

@testable import AppStoreSimulator
@testable import Outbox

/// The App Store's API is down for hours of virtual time while consented requests wait.
@Suite(.timeLimit(.minutes(3)))
struct OutageTests {
    private static let requests: Int64 = 24

    /// Requests that come within the first minutes, and everything that falls due until the last window has closed.
    /// - Parameter outage: From the first request on.
    private func run(_ world: World, outage: Span) async throws {
        world.apple.change { state in
            state.override = { request, now in
                guard request.path.contains("consumption"), now < day(0) + outage else { return nil }
                return request.number % 3 == 0 ? .hangUp : .response(503)
            }
        }
        for number in 0..<Self.requests {
            let request = world.request(number, signed: day(0) + .seconds(number * 10))
            world.clock.set(day(0) + .seconds(number * 10))
            _ = try await world.intake.receiveNotification(request.body(World.chain.signer), postedTo: world.app.id)
        }
        let rounds = RoundKeeper(world.outbox)
        let handlers: [OutboxRow.Kind: any OutboxHandler] = [
            .answer: AnswerSender(world.outbox, apis: world.apis), .decide: rounds, .deadlineNear: rounds, .windowCloses: rounds,
        ]
        let lanes = handlers.keys.map { OutboxRow.Lane($0) }
        while let due = try await world.store.read({ tx throws(StoreError) in try tx.nextDue(in: lanes) }) {
            world.clock.set(max(due, world.clock.now()))
            let now = world.clock.now()
            let rows = try await world.store.write { tx throws(StoreError) in
                try tx.claim(in: lanes, limit: 64, at: now, leaseUntil: now + .minutes(1))
            }
            for row in rows { try await handlers[row.kind]?.perform(row) }
        }
    }

    private func count(_ world: World, _ status: AnswerRecord.Status) async throws -> Int {
        var count = 0
        for number in 0..<Self.requests where try await world.answer(number)?.status == status { count += 1 }
        return count
    }

    /// Alerts by the event that their key begins with.
    private func alerts(_ world: World, _ event: String) async throws -> Int {
        let ledger = world.ledger
        var count = 0
        for number in 0..<Self.requests {
            let (id, uuid) = (String(2_000_000_000_000_000 + number), "CONSUMPTION_REQUEST-\(number)")
            let row = try await world.store.read { tx throws(StoreError) in
                try tx.outboxRow(.alert, subject: id, key: "\(event)/\(uuid)/0", in: ledger)
            }
            if row != nil { count += 1 }
        }
        return count
    }

    @Test func downForElevenHoursAndEveryRequestIsAnsweredInItsWindow() async throws {
        let world = try await World()
        try await run(world, outage: .hours(11))
        #expect(try await count(world, .accepted) == Int(Self.requests))
        #expect(try await alerts(world, "deadline-near") == Int(Self.requests))
        #expect(try await alerts(world, "answer-expired") == 0)
        let (ledger, first) = (world.ledger, TransactionID(String(2_000_000_000_000_000)))
        let attempts = try await world.store.read { tx throws(StoreError) in try tx.attempts(first, in: ledger) }
        #expect(attempts.last?.httpStatus == 202 && attempts.allSatisfy { $0.at < day(0) + .hours(12) })
        let bodies = Set(world.apple.answerCalls.map(\.body))
        #expect(bodies.count == 1, "what may have arrived is repeated byte for byte")
    }

    @Test func downForThirteenHoursAndNothingIsSentLate() async throws {
        let world = try await World()
        try await run(world, outage: .hours(13))
        #expect(try await count(world, .expired) == Int(Self.requests))
        #expect(try await alerts(world, "deadline-near") == Int(Self.requests), "told at half time")
        #expect(try await alerts(world, "answer-expired") == Int(Self.requests))
        let (ledger, requests) = (world.ledger, Self.requests)
        let late = try await world.store.read { tx throws(StoreError) in
            var late = 0
            for number in 0..<requests {
                let attempts = try tx.attempts(TransactionID(String(2_000_000_000_000_000 + number)), in: ledger)
                late += attempts.count { $0.at >= day(0) + .seconds(number * 10) + .hours(12) }
            }
            return late
        }
        #expect(late == 0)
    }
}
