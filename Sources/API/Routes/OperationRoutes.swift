import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let operationRoutes: [Route] = [
        .get(
            "/healthz",
            Operation(id: "getHealth", summary: "Whether the process answers at all.", answer: .json(.object(["status": .string]))),
            access: .open, DeskAPI.getHealth),
        .get(
            "/readyz",
            Operation(
                id: "getReadiness", summary: "Whether requests may be sent here: the database answers and can be written to.",
                answer: .json(.object(["status": .string])), problems: [.unavailable]),
            access: .open, DeskAPI.getReadiness),
        .get(
            "/metrics", Operation(id: "getMetrics", summary: "Counters and gauges in Prometheus' text format.", answer: .plainText),
            DeskAPI.getMetrics),
        .get(
            "/openapi.json", Operation(id: "getDescription", summary: "This description.", answer: .json(Schema(json: ["type": "object"]))),
            access: .open, DeskAPI.getDescription),
    ]

    private func getHealth(_ call: Call) async throws(Problem) -> HTTPResponse { HTTPResponse(["status": "ok"]) }

    private func getReadiness(_ call: Call) async throws(Problem) -> HTTPResponse {
        _ = try await read { tx throws(StoreError) in try tx.nextDue(in: [OutboxRow.Lane(.answer)]) }
        // Anybody may ask: files and hosts are named in the log alone.
        guard await readiness.isReady(store, at: call.now) else {
            let detail = "The database cannot be written to: its disk is full, or it is read-only. The log says which."
            throw Problem(.unavailable, detail, headers: [("Retry-After", "5")])
        }
        return HTTPResponse(["status": "ready"])
    }

    private func getMetrics(_ call: Call) async throws(Problem) -> HTTPResponse {
        let (pending, dead) = try await read { tx throws(StoreError) in (try tx.outboxDepth(), try tx.outboxDead(of: nil)) }
        let text = PrometheusText(
            counters: metrics.snapshot, gauges: metrics.gaugeSnapshot + blanketGauges, outboxPending: pending, outboxDead: dead
        ).text
        return HTTPResponse(
            headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store")], body: Array(text.utf8))
    }

    /// Apps whose owner attests that every customer consented.
    private var blanketGauges: [(key: Metrics.Key, value: Int64)] {
        apps.all.filter { $0.consentMode != .perCustomer }.map {
            (key: Metrics.Key(name: "refund_desk_blanket_consent", labels: ["app=\"\($0.id)\""]), value: 1)
        }
    }

    private func getDescription(_ call: Call) async throws(Problem) -> HTTPResponse {
        HTTPResponse(headers: [("Content-Type", "application/json")], body: DeskAPI.description)
    }

    private static let description = OpenAPIDocument.json.bytes
}

/// - Source: Prometheus' exposition format 0.0.4.
private struct PrometheusText {
    var counters: [(key: Metrics.Key, value: Int64)]
    var gauges: [(key: Metrics.Key, value: Int64)]
    var outboxPending: [OutboxRow.Kind: Int64]
    var outboxDead: [OutboxRow.Kind: Int64]

    var text: String {
        let lines =
            PrometheusText.lines("counter", counters) + PrometheusText.lines("gauge", gauges)
            + PrometheusText.lines("refund_desk_outbox_pending", outboxPending)
            + PrometheusText.lines("refund_desk_outbox_dead", outboxDead)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ type: String, _ values: [(key: Metrics.Key, value: Int64)]) -> [String] {
        var lines: [String] = []
        var name = ""
        for (key, value) in values {
            if key.name != name { lines.append("# TYPE \(key.name) \(type)") }
            name = key.name
            lines.append("\(key.name)\(key.labels.isEmpty ? "" : "{\(key.labels.joined(separator: ","))}") \(value)")
        }
        return lines
    }

    /// A gauge per kind of work, with those that are zero.
    private static func lines(_ name: String, _ counts: [OutboxRow.Kind: Int64]) -> [String] {
        ["# TYPE \(name) gauge"] + OutboxRow.Kind.allCases.map { "\(name){kind=\"\($0.rawValue)\"} \(counts[$0] ?? 0)" }
    }
}
