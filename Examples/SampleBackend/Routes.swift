import Foundation
import HTTPServer
import RefundDeskClient

/// The sample's own HTTP API. A real backend knows the user from its session instead of the query.
struct Routes: Sendable {
    let backend: Backend

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        do { return try await respond(to: request) } catch let error as RefundDeskError {
            return text(error.isRetryable ? 503 : 500, error.description)
        } catch let error as WebhookError {
            return text(400, "\(error)")
        } catch { return text(400, "The request cannot be read.") }
    }

    private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = Data(request.body)
        let user = request.query("user") ?? ""
        switch "\(request.method) \(request.path)" {
        case "POST /hooks": try await backend.heard(headers: headers(of: request), body: body)
        case "POST /consent": return try await consent(user, body)
        case "POST /purchase": return try await purchase(user, body)
        case "POST /job": try await use(user, request.query("id") ?? "", body)
        case "POST /lost": try await backend.notDelivered(transactionID: request.query("transaction") ?? "")
        case "POST /flush": return text(200, "\(try await backend.flush().accepted)")
        case "GET /may-use":
            let allowed = try await backend.mayUse(request.query("product") ?? "", user: user, at: Date())
            return text(200, allowed ? "yes" : "no")
        default: return text(404, "There is nothing here.")
        }
        return text(200, "ok")
    }

    private func consent(_ user: String, _ body: Data) async throws -> HTTPResponse {
        struct Answer: Decodable {
            var agreed: Bool
            var textVersion: String
        }
        let answer = try JSONDecoder().decode(Answer.self, from: body)
        return text(200, try await backend.consent(user: user, agreed: answer.agreed, textVersion: answer.textVersion).auditHash ?? "")
    }

    private func purchase(_ user: String, _ body: Data) async throws -> HTTPResponse {
        struct Purchase: Decodable {
            var originalTransactionId: String
            var jws: String
        }
        let made = try JSONDecoder().decode(Purchase.self, from: body)
        let receipt = try await backend.purchased(user: user, originalTransactionID: made.originalTransactionId, jws: made.jws)
        return text(200, receipt.result.rawValue)
    }

    private func use(_ user: String, _ job: String, _ body: Data) async throws {
        struct Work: Decodable { var coins: Decimal }
        try await backend.used(user: user, coins: try JSONDecoder().decode(Work.self, from: body).coins, job: job)
    }

    private func headers(of request: HTTPRequest) -> [String: String] {
        Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Array(text.utf8))
    }
}
