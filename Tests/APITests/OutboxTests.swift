import Domain
import Store
import Testing

@testable import API

@Suite struct OutboxTests {
    /// Schedules work and gives it up.
    private func dead(_ kind: OutboxRow.Kind, _ world: World, environment: Environment = .production) async throws -> Int64 {
        let row = OutboxRow(
            kind: kind, ledger: Ledger(app: AppID("acme"), environment: environment), subject: "2000000000000001",
            key: kind == .alert ? "request/uuid/0.1" : "0", dueAt: world.clock.now(), payload: Array("secret".utf8),
            createdAt: world.clock.now())
        return try await world.store.write { tx throws(StoreError) in
            try tx.enqueue(row)
            let id = try tx.outboxRow(row.kind, subject: row.subject, key: row.key, in: row.ledger)?.id ?? 0
            try tx.put(DeliveryAttempt(outboxID: id, at: row.createdAt, httpStatus: 550, error: "no"))
            try tx.finish(id, state: .dead, at: row.createdAt)
            return id
        }
    }

    @Test func listsWhatWasGivenUp() async throws {
        let world = try await World()
        _ = try await dead(.alert, world)
        _ = try await dead(.forward, world, environment: .sandbox)
        let reply = await world.get("/outbox")
        #expect(reply["items"]?.list.count == 1)
        #expect(reply["items.0.kind"] == "alert" && reply["items.0.receiver"] == "alerts[0.1]" && reply["items.0.event"] == "request")
        #expect(reply["items.0.attempts.0.status"] == 550 && reply["items.0.state"] == "dead")
        #expect(!reply.text.contains("secret"))
        #expect(await world.get("/outbox?environment=all").json?["items"]?.list.count == 2)
        #expect(await world.get("/outbox?environment=all&kind=forward")["items.0.receiver"] == "forward[0]")
        #expect(await world.get("/outbox?state=pending").json?["items"]?.list.isEmpty == true)
        #expect(await world.get("/outbox?state=done").status == 422)
    }

    @Test func drivesAnew() async throws {
        let world = try await World()
        let id = try await dead(.forward, world)
        world.clock.advance(.days(30))
        let reply = await world.post("/outbox/\(id)/redrive")
        #expect(reply.status == 200 && reply["state"] == "pending" && reply["tries"] == 0)
        #expect(reply["createdAt"] == .integer(world.clock.now().milliseconds))
        #expect(await world.post("/outbox/\(id)/redrive").code == "not-redrivable")
        #expect(await world.post("/outbox/12345/redrive").status == 404)
        #expect(await world.post("/outbox/x/redrive").status == 404)
    }

    @Test func leavesAnswersToTheirCases() async throws {
        let world = try await World()
        let id = try await dead(.answer, world)
        let reply = await world.post("/outbox/\(id)/redrive")
        #expect(reply.code == "not-redrivable")
        #expect(reply["detail"]?.text?.contains("/cases/2000000000000001/answer") == true)
    }

    @Test func needsScopes() async throws {
        let world = try await World()
        try await world.addToken("reader", .read)
        #expect(await world.send("GET", "/v1/apps/acme/outbox", token: "reader").status == 200)
        #expect(await world.send("POST", "/v1/apps/acme/outbox/1/redrive", token: "reader").status == 403)
    }

    @Test func metricsTellTheDead() async throws {
        let world = try await World()
        _ = try await dead(.forward, world)
        world.metrics.set("refund_desk_disk_free_bytes", to: 7)
        let text = await world.send("GET", "/metrics").text
        #expect(text.contains("refund_desk_outbox_dead{kind=\"forward\"} 1\n"))
        #expect(text.contains("refund_desk_outbox_dead{kind=\"alert\"} 0\n"))
        #expect(text.contains("# TYPE refund_desk_disk_free_bytes gauge\nrefund_desk_disk_free_bytes 7\n"))
    }
}
