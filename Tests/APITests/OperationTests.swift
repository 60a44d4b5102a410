import AppStore
import Domain
import HTTPServer
import Ingest
import Store
import Synchronization
import Testing

@testable import API

/// What operators and their tools read.
@Suite struct OperationTests {
    @Test func describesEveryRouteOnce() {
        for route in DeskAPI.routes {
            let operation = Description.value(Description.document, "paths", route.path.text, route.method.rawValue.lowercased())
            #expect(operation?["operationId"]?.text == route.operation.id)
            #expect(operation?["parameters"]?.list.filter { $0["in"] == "path" }.map { $0["name"]?.text } == route.path.parameters)
            for parameter in operation?["parameters"]?.list ?? [] { #expect(parameter["description"] != "") }
        }
        #expect(Set(DeskAPI.routes.map(\.operation.id)).count == DeskAPI.routes.count)
        #expect(Set(DeskAPI.routes.map { $0.method.rawValue + $0.path.text }).count == DeskAPI.routes.count)
    }

    @Test func refersOnlyToSchemasThatExist() {
        func references(_ value: JSONValue) -> [String] {
            switch value {
            case .object(let members): members.flatMap { $0.key == "$ref" ? [$0.value.text ?? ""] : references($0.value) }
            case .array(let elements): elements.flatMap(references)
            default: []
            }
        }
        for reference in references(Description.document) {
            #expect(
                Description.value(Description.document, "components", "schemas", String(reference.split(separator: "/").last ?? "")) != nil)
        }
    }

    @Test func tellsHealthWithoutAToken() async throws {
        let world = try await World()
        #expect(await world.send("GET", "/healthz", token: nil).text == #"{"status":"ok"}"#)
        #expect(await world.send("GET", "/readyz", token: nil).text == #"{"status":"ready"}"#)
        #expect(await world.send("GET", "/openapi.json", token: nil)["openapi"] == "3.1.0")
    }

    @Test func asksForARetryWhenTheStoreIsGone() async throws {
        let world = try await World()
        #expect(await world.get("/cases").status == 200)
        await world.store.close()
        for reply in [
            await world.send("GET", "/readyz"), await world.get("/cases"), await world.put("/customers/c/tags", #"{"tags":[]}"#),
            await world.notify("TEST", nil, result: nil), await world.send("GET", "/v1/apps/acme/cases", token: "unseen"),
        ] {
            #expect(reply.status == 503 && reply.code == "unavailable" && reply.header("Retry-After") == "5")
        }
        #expect(await world.send("GET", "/healthz").status == 200)
    }

    /// Everything can be read and nothing written, and whoever asks is told no file's name; the log is.
    @Test func isNotReadyWhileNothingCanBeWritten() async throws {
        let world = try await World()
        let reported = Mutex<[StoreError]>([])
        let store = FullStore(inner: world.store)
        let api = DeskAPI(
            apps: AppDirectory([]), store: store, intake: world.api.intake, time: world.clock, metrics: world.metrics,
            reportFault: { error in reported.withLock { $0.append(error) } })
        store.isFull.withLock { $0 = true }
        let response = await api.handle(HTTPRequest(path: "/readyz"))
        #expect(response.status == 503)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("desk.db"))
        #expect(reported.withLock { $0.map(\.detail) } == ["the disk is full: free space on the volume of desk.db"])
        store.isFull.withLock { $0 = false }
        #expect(await api.handle(HTTPRequest(path: "/readyz")).status == 200)
    }

    /// The try of `/readyz` is small and may fit where a notification did not.
    @Test func aFaultThatARequestMetCountsForTenSeconds() async throws {
        let world = try await World()
        let api = world.api
        _ = api.noted(StoreError(code: .unavailable, operation: "test", detail: "the disk is full"))
        #expect(await api.handle(HTTPRequest(path: "/readyz")).status == 503)
        _ = api.noted(StoreError(code: .cursor, operation: "test", detail: "no cursor"))
        world.clock.advance(.seconds(10))
        #expect(await api.handle(HTTPRequest(path: "/readyz")).status == 200)
    }

    @Test func countsInPrometheusText() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        world.metrics.gauge("refund_desk_clock_offset_milliseconds", "app=\"acme\"") { -700 }
        world.metrics.gauge("refund_desk_clock_offset_milliseconds", "app=\"unheard\"") { nil }
        let reply = await world.send("GET", "/metrics")
        let lines = reply.text.split(separator: "\n")
        #expect(lines.contains("# TYPE refund_desk_received_total counter"))
        #expect(lines.contains("# TYPE refund_desk_clock_offset_milliseconds gauge"))
        #expect(lines.filter { $0.hasPrefix("refund_desk_clock") } == [#"refund_desk_clock_offset_milliseconds{app="acme"} -700"#])
        #expect(lines.contains(#"refund_desk_received_total{result="accepted",source="live"} 1"#))
        #expect(lines.contains(#"refund_desk_outbox_pending{kind="answer"} 0"#))
    }
}

/// Reads, and on demand does not write.
private struct FullStore: Store {
    final class Switch: Sendable {
        let state = Mutex(false)
        func withLock<Result>(_ body: (inout Bool) -> sending Result) -> sending Result { state.withLock(body) }
    }
    let inner: any Store
    let isFull = Switch()
    var outboxSignal: OutboxSignal { inner.outboxSignal }

    func write<Result: Sendable>(
        touching names: [String], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        guard !isFull.withLock({ $0 }) else {
            throw StoreError(code: .unavailable, operation: "test", detail: "the disk is full: free space on the volume of desk.db")
        }
        return try await inner.write(touching: names, body)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await inner.read(body) }
    func replay(
        repair: Bool, fold: @escaping @Sendable (LogEntry, any WriteTransaction) throws(StoreError) -> Void
    ) async throws(StoreError) -> ReplayReport { try await inner.replay(repair: repair, fold: fold) }
    func exportFolded(_ line: @escaping @Sendable (FoldedLine) -> Void) async throws(StoreError) {}
    func noticeOtherWriters() async {}
    func isLeader() async -> Bool { true }
    func tidy(at now: Timestamp) async throws(StoreError) -> [String] { [] }
    func close() async {}
}
