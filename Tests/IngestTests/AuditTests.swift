import Domain
import SQLite
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// A desk whose trail has a consent, a decision, an answer in two states, an attempt, and an act.
private func sealedDesk() async throws -> TestDesk {
    let desk = try await TestDesk()
    try await desk.askAboutCoins()
    #expect(try await desk.send(.accepted) != nil)
    let now = desk.clock.now()
    try await desk.store.write { tx throws(StoreError) in
        try AdministratorDesk(tx: tx, now: now, actor: "command line").note(Act("token created", "backend (write)"))
    }
    return desk
}

@Test func theTrailHoldsWhatWasSaidDecidedAndSent() async throws {
    let desk = try await sealedDesk()
    let report = try await AuditTrail.verify(desk.store)
    #expect(report.faults == [])
    let trail = try await desk.store.read { [ledger = desk.ledger] tx throws(StoreError) in
        try tx.auditTrail(in: [ledger, .desk], page: PageRequest()).items
    }
    #expect(Int64(trail.count) == report.links)
    #expect(Set(trail.map(\.entry.kind)) == [.consent, .decision, .answer, .attempt, .act])
    #expect(trail.first?.seal.actor == "command line")
    #expect(trail.first?.seal.sha256 == report.head)
    let noted = try #require(trail.last?.seal.sha256)
    #expect(try await AuditTrail.verify(desk.store, hashes: [noted, [1]]).found == [noted])
    #expect(try await desk.differences().isEmpty)
}

private struct Tampering: Sendable, CustomTestStringConvertible {
    var sql: StaticString
    var fault: String
    var testDescription: String { "\(sql)" }
}

/// Whatever is done to the trail behind the desk's back is found.
@Test(arguments: [
    Tampering(sql: "UPDATE log SET body = CAST('{}' AS BLOB) WHERE kind = 'consent'", fault: "was altered"),
    Tampering(sql: "UPDATE log SET received_at_ms = received_at_ms + 1 WHERE kind = 'decision'", fault: "was altered"),
    Tampering(sql: "DELETE FROM log WHERE kind = 'attempt'", fault: "is gone"),
    Tampering(sql: "DELETE FROM audit WHERE position = 2", fault: "link 2 is missing"),
    Tampering(sql: "UPDATE audit SET actor = 'somebody else' WHERE position = 1", fault: "was altered"),
    Tampering(sql: "UPDATE audit SET content_sha256 = sha256 WHERE position = 2", fault: "does not follow"),
    Tampering(sql: "DELETE FROM audit WHERE position = (SELECT max(position) FROM audit)", fault: "sealed by no link"),
    Tampering(
        sql: """
            INSERT INTO log (kind, ledger_id, result, source, received_at_ms, body)
            VALUES ('consent', 1, 'accepted', 'owner', 1, x'00')
            """, fault: "sealed by no link"),
])
private func tamperingIsFound(_ tampering: Tampering) async throws {
    let desk = try await sealedDesk()
    try desk.edit(tampering.sql)
    let report = try await AuditTrail.verify(desk.store)
    #expect(report.faults.contains { $0.contains(tampering.fault) }, "\(report.faults)")
}

/// An altered entry does not pass for a forgotten one: only an act on the trail can say so.
@Test func aMissingSaltIsNoExcuse() async throws {
    let desk = try await sealedDesk()
    try desk.edit("UPDATE audit SET salt = NULL WHERE log_sequence = (SELECT sequence FROM log WHERE kind = 'consent')")
    try desk.edit("UPDATE log SET body = CAST(replace(CAST(body AS TEXT), 'true', 'false') AS BLOB) WHERE kind = 'consent'")
    let report = try await AuditTrail.verify(desk.store)
    #expect(report.faults.contains { $0.contains("no act says that it was forgotten") }, "\(report.faults)")
}

/// Nor may what was really forgotten be altered afterwards.
@Test func whatWasForgottenStaysAsItIs() async throws {
    let desk = try await sealedDesk()
    #expect(try await Forgetting("7042001", in: desk.ledger).run(on: desk.store, at: desk.clock.now()) != nil)
    let report = try await AuditTrail.verify(desk.store)
    #expect(report.faults == [] && report.forgotten > 0)
    try desk.edit("UPDATE log SET body = CAST(replace(CAST(body AS TEXT), 'accepted', 'failed') AS BLOB) WHERE kind = 'answer'")
    #expect(try await AuditTrail.verify(desk.store).faults.isEmpty == false)
}
