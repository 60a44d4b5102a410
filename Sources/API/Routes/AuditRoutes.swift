import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let auditRoutes: [Route] = [
        .get(
            "/v1/apps/{app}/audit",
            Operation(
                id: "listAudit",
                summary: "The trail of consents, decisions, answers and administrators' acts, newest first, sealed by a chain of hashes.",
                query: [.anyEnvironment, .limit, .cursor], answer: .json(Schema.reference("AuditEntry").page)),
            DeskAPI.listAudit)
    ]

    private func listAudit(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app().id
        let environments = try call.environmentOrAll().map { [$0] } ?? Environment.allCases
        let request = try call.page()
        let page = try await read { tx throws(StoreError) in
            try tx.auditTrail(in: environments.map { Ledger(app: app, environment: $0) } + [.desk], page: request)
        }
        return HTTPResponse(JSON(page, JSON.init))
    }
}

extension JSON {
    /// - Source: docs/audit.md says how the hashes are made.
    fileprivate init(_ sealed: SealedEntry) {
        let entry = sealed.entry
        let isOfDesk = entry.ledger == .desk
        self = [
            "position": JSON(sealed.seal.position),
            "at": JSON(entry.receivedAt),
            "kind": JSON(entry.kind.rawValue),
            "environment": isOfDesk ? .null : JSON(entry.ledger.environment),
            "actor": JSON(sealed.seal.actor),
            "transactionId": JSON(entry.transactionID),
            "sequence": JSON(entry.sequence),
            "content": JSON(String(decoding: entry.body, as: UTF8.self)),
            "salt": JSON(sealed.seal.salt.map(hexadecimal)),
            "contentHash": JSON(hexadecimal(sealed.seal.contentSHA256)),
            "hash": JSON(hexadecimal(sealed.seal.sha256)),
        ]
    }
}
