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
        let text = PrometheusText(counters: metrics.snapshot, outboxDepth: depth, blanketApps: blanketApps).text
        return HTTPResponse(
            headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store")], body: Array(text.utf8))
    }

    /// Apps whose owner attests that every customer consented.
    private var blanketApps: [AppID] { apps.all.filter { $0.consentMode != .perCustomer }.map(\.id) }

    private func getDescription(_ call: Call) async throws(Problem) -> HTTPResponse {
        HTTPResponse(headers: [("Content-Type", "application/json")], body: DeskAPI.description)
    }

    private static let description = OpenAPIDocument.json.bytes
}

/// - Source: Prometheus' exposition format 0.0.4.
private struct PrometheusText {
    var counters: [(key: Metrics.Key, value: Int64)]
    var outboxDepth: [OutboxRow.Kind: Int64]
    var blanketApps: [AppID]

    var text: String {
        var lines: [String] = []
        var name = ""
        for (key, value) in counters {
            if key.name != name { lines.append("# TYPE \(key.name) counter") }
            name = key.name
            lines.append("\(key.name)\(key.labels.isEmpty ? "" : "{\(key.labels.joined(separator: ","))}") \(value)")
        }
        lines.append("# TYPE refund_desk_outbox_pending gauge")
        lines += OutboxRow.Kind.allCases.map { "refund_desk_outbox_pending{kind=\"\($0.rawValue)\"} \(outboxDepth[$0] ?? 0)" }
        if !blanketApps.isEmpty { lines.append("# TYPE refund_desk_blanket_consent gauge") }
        lines += blanketApps.map { "refund_desk_blanket_consent{app=\"\($0)\"} 1" }
        return lines.joined(separator: "\n") + "\n"
    }
}
