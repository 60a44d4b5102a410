import Domain
import Foundation
import HTTPClient

/// Apple's App Store Server API for one app in one environment.
///
/// Each call is made once; only a refused token is renewed and tried again, and not even that for Send Consumption Information, whose
/// every try is recorded by its caller. When to try again is the caller's.
package final class AppStoreServerAPI: Sendable {
    private let client: HTTPClient
    private let environment: Environment
    private let baseURL: String
    private let allowsPrivateTargets: Bool
    private let tokens: ServerAPITokens
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - baseURL: Without a path. Another than Apple's is for simulated instances.
    ///   - now: The clock that dates tokens and outcomes.
    ///   - allowsPrivateTargets: Whether `baseURL` may be on this machine or in a private network.
    package init(
        credentials: ServerAPICredentials, environment: Environment, baseURL: String? = nil, client: HTTPClient,
        allowsPrivateTargets: Bool = false, now: @escaping @Sendable () -> Timestamp
    ) {
        self.client = client
        self.environment = environment
        self.baseURL = Self.withoutTrailingSlash(baseURL ?? environment.serverAPIBaseURL)
        self.allowsPrivateTargets = allowsPrivateTargets
        self.tokens = ServerAPITokens(credentials)
        self.now = now
    }

    private static func withoutTrailingSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

    /// Signs a new token for the calls to come. For use once after ``SendOutcome/Kind/unauthorized``: a second refusal is not the token's age.
    package func renewToken() { tokens.renew(at: now()) }

    /// Sends the answer to a consumption request (V2), once.
    ///
    /// - Parameters:
    ///   - transactionID: That of the notification's `signedTransactionInfo`, not the original one.
    ///   - body: The JSON, sent as it is, so that a repeat is the same byte for byte.
    /// - Returns: Never throws: every outcome is an attempt to be recorded.
    package func sendConsumptionInformation(
        transactionID: TransactionID, body: [UInt8], timeout: Duration = .seconds(15)
    ) async -> SendOutcome {
        let path = "/inApps/v2/transactions/consumption/\(PercentEncoding.encode(transactionID.rawValue))"
        let at = now()
        let reply = await perform(ServerAPICall(method: "PUT", path: path, body: body, isConsumption: true, timeout: timeout))
        return SendOutcome(
            at: at, kind: reply.kind, httpStatus: reply.status, errorCode: reply.errorCode, explanation: reply.explanation,
            retryAfter: reply.retryAfter, clockOffset: reply.clockOffset)
    }
}

/// One request, but for the host and the token.
struct ServerAPICall: Sendable {
    var method = "GET"
    var path: String
    var query: [(name: String, value: String)] = []
    var body: [UInt8]?
    var isConsumption = false
    var timeout: Duration = .seconds(15)
}

extension AppStoreServerAPI {
    /// Makes the call and decodes its answer; a refused token is renewed once.
    func result<Answer: Decodable>(_ call: ServerAPICall) async throws(AppStoreServerAPIError) -> Answer {
        var reply = await perform(call)
        if reply.kind == .unauthorized {
            renewToken()
            reply = await perform(call)
        }
        guard reply.kind == .accepted else { throw AppStoreServerAPIError(reply) }
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(reply.body))
        } catch {
            throw AppStoreServerAPIError(
                status: reply.status, code: nil,
                explanation: "Apple's answer to \(call.method) \(call.path) is not of the documented form.",
                isRetryable: false, retryAfter: nil)
        }
    }

    private func perform(_ call: ServerAPICall) async -> ServerAPIReply {
        var headers = [(name: "Authorization", value: "Bearer \(tokens.token(at: now()))"), (name: "Accept", value: "application/json")]
        if call.body != nil { headers.append((name: "Content-Type", value: "application/json")) }
        let request = HTTPClientRequest(
            method: call.method, url: baseURL + call.path + PercentEncoding.query(call.query), headers: headers, body: call.body,
            timeout: call.timeout,
            allowsPrivateTargets: allowsPrivateTargets)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            return ServerAPIReply(response, of: call, environment: environment, at: now())
        } catch {
            return ServerAPIReply(error)
        }
    }
}
