import Domain
import Foundation
import HTTPClient
import Synchronization

/// Apple's App Store Server API for one app in one environment.
///
/// Each call is made once; only a refused token is renewed and tried again, and not even that for Send Consumption Information, whose
/// every try is recorded by its caller. When to try again is the caller's.
package final class AppStoreServerAPI: Sendable {
    private let client: any Transport
    private let lookups: any Transport
    private let environment: Environment
    private let baseURL: String
    private let allowsPrivateTargets: Bool
    private let tokens: ServerAPITokens
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Timestamp) async throws -> Void
    private let pace: ServerAPIPace
    private let clock = Mutex(ClockComparison())

    /// - Parameters:
    ///   - lookups: Makes all calls but answers, so that these have connections of their own: one that was kept open for something else
    ///     and has died unnoticed would leave an answer in doubt.
    ///   - baseURL: Without a path. Another than Apple's is for simulated instances.
    ///   - allowance: Shared with whoever else calls Apple for this app; nil where nobody does.
    ///   - now: The clock that dates tokens and outcomes.
    ///   - sleep: Returns at an instant of that clock; for calls that have to wait for their turn.
    ///   - allowsPrivateTargets: Whether `baseURL` may be on this machine or in a private network.
    package init(
        credentials: ServerAPICredentials, environment: Environment, baseURL: String? = nil, client: any Transport,
        lookups: (any Transport)? = nil, allowance: (any CallAllowance)? = nil,
        allowsPrivateTargets: Bool = false, now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Timestamp) async throws -> Void = { _ in }
    ) {
        pace = ServerAPIPace(environment, allowance: allowance, at: now())
        self.sleep = sleep
        self.client = client
        self.lookups = lookups ?? client
        self.environment = environment
        self.baseURL = Self.withoutTrailingSlash(baseURL ?? environment.serverAPIBaseURL)
        self.allowsPrivateTargets = allowsPrivateTargets
        self.tokens = ServerAPITokens(credentials)
        self.now = now
    }

    private static func withoutTrailingSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

    /// Signs a new token for the calls to come. For use once after ``SendOutcome/Kind/unauthorized``: a second refusal is not the token's age.
    package func renewToken() { tokens.renew(at: correctedNow) }

    /// Apple's clock less ours, to about a second, as the last answer showed it; nil before the first.
    package var clockOffset: Domain.Span? { clock.withLock { $0.offset } }

    /// Our clock was set: how it compared with Apple's is worth nothing until the next answer.
    package func forgetClock() { clock.withLock { $0 = ClockComparison() } }

    /// The time by Apple's clock, as far as it is known and differs by more than a network's delay.
    package var appleNow: Timestamp { now() + clock.withLock { $0.plausibleOffset } }

    /// The time that tokens are dated by: ours, unless Apple refused one while the clocks were apart.
    private var correctedNow: Timestamp { now() + clock.withLock { $0.correction } }

    /// When the answer of an outbox row may leave, by Apple's limit. A place in the future is kept for the row until it comes back.
    ///
    /// - Returns: An instant up to ``ServerAPIPace/patience`` ahead is to be waited for.
    package func turn(ofAnswer row: Int64) async -> Timestamp { await pace.promise(.answers, to: row, at: now()) }

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
        let reply = await perform(ServerAPICall(method: "PUT", path: path, body: body, family: .answers, timeout: timeout))
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
    var family = ServerAPIPace.Family.lookups
    var timeout: Duration = .seconds(15)
}

extension AppStoreServerAPI {
    /// The longest that a call waits for its turn before it is given up as refused by the limit.
    private static let longestWait = Domain.Span.seconds(20)

    /// Makes the call when it is its turn and decodes its answer; a refused token is renewed once.
    func result<Answer: Decodable>(_ call: ServerAPICall) async throws(AppStoreServerAPIError) -> Answer {
        try await waitForTurn(call.family)
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

    private func waitForTurn(_ family: ServerAPIPace.Family) async throws(AppStoreServerAPIError) {
        let now = now()
        let turn = await pace.reserve(family, at: now)
        guard turn > now else { return }
        guard turn - now <= Self.longestWait else {
            await pace.giveBack(family)
            throw .notYet(turn)
        }
        do { try await sleep(turn) } catch { throw .notYet(turn) }
    }

    private func perform(_ call: ServerAPICall) async -> ServerAPIReply {
        var headers = [
            (name: "Authorization", value: "Bearer \(tokens.token(at: correctedNow))"), (name: "Accept", value: "application/json"),
        ]
        if call.body != nil { headers.append((name: "Content-Type", value: "application/json")) }
        let request = HTTPClientRequest(
            method: call.method, url: baseURL + call.path + PercentEncoding.query(call.query), headers: headers, body: call.body,
            timeout: call.timeout,
            allowsPrivateTargets: allowsPrivateTargets)
        do throws(HTTPClientError) {
            let response = try await (call.family == .answers ? client : lookups).send(request)
            let reply = ServerAPIReply(response, of: call, environment: environment, at: now())
            await note(reply, of: call)
            return reply
        } catch {
            return ServerAPIReply(error)
        }
    }

    /// Learns from an answer how the clocks compare, and whether the family has to wait.
    private func note(_ reply: ServerAPIReply, of call: ServerAPICall) async {
        clock.withLock { $0.note(reply) }
        guard reply.kind == .rateLimited else { return }
        let now = now()
        await pace.close(call.family, until: reply.retryAfter ?? now + .seconds(10), at: now)
    }
}

/// How our clock compares with Apple's.
private struct ClockComparison {
    /// Apple's tokens live for minutes, so a smaller difference explains no refusal.
    static let tolerance = Domain.Span.seconds(30)

    var offset: Domain.Span?
    /// Added to the time that tokens are dated by.
    var correction = Domain.Span.milliseconds(0)

    var plausibleOffset: Domain.Span { isApart ? offset ?? .milliseconds(0) : .milliseconds(0) }
    private var isApart: Bool { offset.map { abs($0.milliseconds) > Self.tolerance.milliseconds } ?? false }

    /// A token that was refused while the clocks are apart was refused for its dates: the next is dated by Apple's clock. Once our clock
    /// is right again it is trusted again.
    mutating func note(_ reply: ServerAPIReply) {
        guard let seen = reply.clockOffset else { return }
        offset = seen
        if !isApart {
            correction = .milliseconds(0)
        } else if reply.kind == .unauthorized {
            correction = seen
        }
    }
}
