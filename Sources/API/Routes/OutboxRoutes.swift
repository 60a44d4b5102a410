import Domain
import Foundation
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let outboxRoutes: [Route] = [
        .get(
            "/v1/apps/{app}/outbox",
            Operation(
                id: "listOutbox", summary: "Work that was given up, or waits: of every kind, newest first, with the tries at receivers.",
                query: [
                    .anyEnvironment, .init(name: "state", schema: .word(OpenState.self), text: "`dead` (the default) or `pending`."),
                    .init(name: "kind", schema: .word(OutboxRow.Kind.self), text: "Only work of this kind."), .limit, .cursor,
                ], answer: .json(Schema.reference("OutboxItem").page)),
            DeskAPI.listOutbox),
        .post(
            "/v1/apps/{app}/outbox/{id}/redrive",
            Operation(
                id: "redriveOutbox", summary: "Takes up again what was given up, with as many tries as new work has.",
                answer: .json(.reference("OutboxItem")), problems: [.notRedrivable]),
            DeskAPI.redriveOutbox),
    ]

    private enum OpenState: String, CaseIterable { case dead, pending }

    private func listOutbox(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let isPending = try call.choice("state", of: OpenState.self) == .pending
        let query = OutboxQuery(
            app: app.id, environment: try call.environmentOrAll(), state: isPending ? .pending : .dead,
            kind: try call.choice("kind", of: OutboxRow.Kind.self), page: try call.page())
        let page = try await read { tx throws(StoreError) in try tx.outboxEntries(query) }
        return HTTPResponse(JSON(page) { JSON($0) })
    }

    /// An answer is not driven anew: whether one may still be sent, its case decides.
    private func redriveOutbox(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let now = call.now
        let unknown = Problem(.notFound, "There is no such work; GET /v1/apps/\(app.id)/outbox lists it.")
        guard let id = Int64(try call.name("id")) else { throw unknown }
        let (before, after) = try await write { tx throws(StoreError) -> (EventDelivery?, EventDelivery?) in
            guard let known = try tx.outboxEntry(id: id), known.row.ledger.app == app.id else { return (nil, nil) }
            guard known.row.state == .dead, known.row.kind != .answer else { return (known, nil) }
            try tx.revive(id, at: now)
            try AdministratorDesk(ledger: known.row.ledger, tx: tx, now: now, actor: call.actor)
                .note(Act("dead work taken up again", "\(known.row.kind.rawValue) \(known.row.subject)"))
            return (known, try tx.outboxEntry(id: id))
        }
        guard let before else { throw unknown }
        guard let after else { throw .notRedrivable(before.row) }
        return HTTPResponse(JSON(after))
    }
}

extension Problem {
    fileprivate static func notRedrivable(_ row: OutboxRow) -> Problem {
        let detail =
            row.kind == .answer
            ? "An answer is sent anew with POST /v1/apps/\(row.ledger.app)/cases/\(row.subject)/answer, while the window is open."
            : "Only dead work is taken up again; this is \(row.state.rawValue)."
        return Problem(.notRedrivable, detail)
    }
}

extension JSON {
    /// No payload: it may name a customer.
    fileprivate init(_ entry: EventDelivery) {
        let row = entry.row
        let isPending = row.state == .pending
        self = [
            "id": JSON("\(row.id)"),
            "kind": JSON(row.kind.rawValue),
            "environment": JSON(row.ledger.environment.rawValue),
            "subject": JSON(row.subject),
            "receiver": JSON(row.receiver),
            "event": JSON(row.alertEvent),
            "state": JSON(row.state.rawValue),
            "tries": JSON(row.attempt),
            "createdAt": JSON(row.createdAt),
            "dueAt": isPending ? JSON(row.dueAt) : .null,
            "attempts": .array(
                entry.attempts.map { ["at": JSON($0.at), "status": JSON($0.httpStatus), "error": JSON($0.error)] }),
        ]
    }
}

extension OutboxRow {
    /// The receiver's place in the app's configuration, as `alerts[0]`; nil where the work is for none of the owner's.
    fileprivate var receiver: String? {
        switch kind {
        case .webhook: "webhooks[\(key)]"
        case .forward: "forward[\(key)]"
        case .alert: key.split(separator: "/").last.map { "alerts[\($0)]" }
        case .answer, .decide, .deadlineNear, .windowCloses, .turn, .confirmStatus, .refundHistory: nil
        }
    }

    fileprivate var alertEvent: String? { kind == .alert ? key.split(separator: "/").first.map(String.init) : nil }
}
