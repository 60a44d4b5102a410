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
                id: "getReadiness", summary: "Whether requests may be sent here: the database answers.",
                answer: .json(.object(["status": .string])), problems: [.unavailable]),
            access: .open, DeskAPI.getReadiness),
        .get(
            "/metrics", Operation(id: "getMetrics", summary: "Counters in Prometheus' text format.", answer: .plainText),
            DeskAPI.getMetrics),
        .get(
            "/openapi.json", Operation(id: "getDescription", summary: "This description.", answer: .json(Schema(json: ["type": "object"]))),
            access: .open, DeskAPI.getDescription),
    ]

    private func getHealth(_ call: Call) async throws(Problem) -> HTTPResponse { HTTPResponse(["status": "ok"]) }

    private func getReadiness(_ call: Call) async throws(Problem) -> HTTPResponse {
        if let obstacle = obstacleToServing() { throw Problem(.unavailable, obstacle, headers: [("Retry-After", "5")]) }
        _ = try await read { tx throws(StoreError) in try tx.nextDue(in: [OutboxRow.Lane(.answer)]) }
        return HTTPResponse(["status": "ready"])
    }

    private func getMetrics(_ call: Call) async throws(Problem) -> HTTPResponse {
        let depth = try await read { tx throws(StoreError) in try tx.outboxDepth() }
        let text = PrometheusText(counters: metrics.snapshot, gauges: metrics.gaugeSnapshot, outboxDepth: depth).text
        return HTTPResponse(
            headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store")], body: Array(text.utf8))
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
    var outboxDepth: [OutboxRow.Kind: Int64]

    var text: String {
        var lines = Self.lines(counters, "counter") + Self.lines(gauges, "gauge")
        lines.append("# TYPE refund_desk_outbox_pending gauge")
        lines += OutboxRow.Kind.allCases.map { "refund_desk_outbox_pending{kind=\"\($0.rawValue)\"} \(outboxDepth[$0] ?? 0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ values: [(key: Metrics.Key, value: Int64)], _ type: String) -> [String] {
        var (lines, name) = ([String](), "")
        for (key, value) in values {
            if key.name != name { lines.append("# TYPE \(key.name) \(type)") }
            name = key.name
            lines.append("\(key.name)\(key.labels.isEmpty ? "" : "{\(key.labels.joined(separator: ","))}") \(value)")
        }
        return lines
    }
}
