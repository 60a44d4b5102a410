import Domain
import Testing

/// Words drawn from a seed: few instants, so that many fall together.
private struct RandomWords {
    var random: Seeded

    init(seed: UInt64) { random = Seeded(seed) }

    mutating func events() -> [CaseEvent] {
        (0..<Int.random(in: 1...9, using: &random)).map { index in
            let at = hour(.random(in: 0...16, using: &random) * 3)
            let uuid = "u\(index)"
            return switch Int.random(in: 0..<8, using: &random) {
            case 0...3: asked(uuid, at)
            case 4: declined(uuid, at)
            case 5: refunded(uuid, at, date: Bool.random(using: &random) ? at : at - .hours(3))
            case 6: seatsRefunded(uuid, at, seats: 1)
            default: reversed(uuid, at)
            }
        }
    }

    mutating func purchase() -> Purchase? {
        guard Bool.random(using: &random) else { return nil }
        let signed = hour(.random(in: 0...48, using: &random))
        let revoked = Bool.random(using: &random) ? signed - .hours(3) : nil
        return coins(signed) { $0.revocationDate = revoked }
    }
}

@Test func orderAndRepeatsDoNotMatterToACase() {
    for seed in UInt64(1)...4_000 {
        var words = RandomWords(seed: seed)
        let events = words.events()
        let purchase = words.purchase()
        let folded = RefundCase(folding: events, purchase: purchase, window: .hours(12))
        for _ in 0..<3 {
            let repeats = events.filter { _ in Bool.random(using: &words.random) }
            let arrived = (events + repeats).shuffled(using: &words.random)
            #expect(RefundCase(folding: arrived, purchase: purchase, window: .hours(12)) == folded, "seed \(seed)")
        }
    }
}

@Test func roundsNeverOverlapAndHoldEachRequestOnce() throws {
    for seed in UInt64(1)...4_000 {
        var words = RandomWords(seed: seed)
        let events = words.events()
        let requests = events.filter { $0.kind == .requested }
        guard let folded = RefundCase(folding: events, purchase: words.purchase(), window: .hours(12)) else {
            #expect(events.isEmpty, "seed \(seed)")
            continue
        }
        let held = folded.rounds.flatMap(\.notificationUUIDs)
        #expect(held.sorted() == requests.map(\.notificationUUID).sorted(), "seed \(seed)")
        #expect(folded.rounds.map(\.number) == Array(1..<folded.rounds.count + 1), "seed \(seed)")
        for round in folded.rounds {
            let own = requests.filter { round.contains($0.notificationUUID) }
            #expect(own.map(\.signedDate).min() == round.requestedAt, "seed \(seed)")
            #expect(own.allSatisfy { $0.signedDate < round.deadline }, "seed \(seed)")
            guard let decided = round.outcome?.at else { continue }
            #expect(own.allSatisfy { $0.signedDate <= decided }, "seed \(seed)")
        }
        for (earlier, later) in zip(folded.rounds, folded.rounds.dropFirst()) {
            let end = min(earlier.deadline, earlier.outcome?.at ?? earlier.deadline)
            #expect(end <= later.requestedAt, "seed \(seed)")
        }
    }
}

/// One who knows nothing but what he was told.
private struct Follower {
    var requests = 0
    var hasRefund = false
    var heard: [String] = []

    mutating func hear(_ changes: [CaseChange]) {
        for change in changes {
            heard.append(change.word)
            switch change {
            case .requested: requests += 1
            case .granted: hasRefund = true
            case .reversed: hasRefund = false
            case .declined, .unanswered: break
            }
        }
    }
}

@Test func followersHearOfEachChangeOnce() {
    for seed in UInt64(1)...4_000 {
        var words = RandomWords(seed: seed)
        let events = words.events().shuffled(using: &words.random)
        var follower = Follower()
        var known: [CaseEvent] = []
        var before: RefundCase?
        for event in events {
            known.append(event)
            let now = hour(.random(in: 0...60, using: &words.random))
            guard let after = RefundCase(folding: known, purchase: nil, window: .hours(12)) else { continue }
            follower.hear(after.changes(since: before, now: now, isAnswered: { _ in false }, isCloseDue: { _ in false }))
            #expect(after.changes(since: after, now: now, isAnswered: { _ in false }, isCloseDue: { _ in false }).isEmpty, "seed \(seed)")
            #expect(follower.requests == after.rounds.count, "seed \(seed): one word per round: \(follower.heard)")
            let stands = after.refund.map { $0.reversedAt == nil } ?? false
            #expect(follower.hasRefund == stands, "seed \(seed): \(follower.heard)")
            before = after
        }
        let declines = events.count { $0.kind == .declined }
        #expect(follower.heard.count { $0 == "declined" } <= declines, "seed \(seed)")
        if before?.state == .declined { #expect(follower.heard.contains("declined"), "seed \(seed)") }
    }
}
