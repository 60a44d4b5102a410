import AppStore
import Crypto
import Domain
import Foundation
import HTTPClient
import Synchronization
import TestSupport

/// An App Store on 127.0.0.1 that gives one scripted answer after another, and a client of it with a clock of its own.
final class ScriptedAppStore: Sendable {
    private struct State {
        var replies: [RawServer.Reply]
        var calls: [RawServer.Request] = []
        var now = Timestamp(milliseconds: 1_800_000_000_000)
    }
    private final class Script: Sendable {
        let state: Mutex<State>
        init(_ replies: [RawServer.Reply]) { state = Mutex(State(replies: replies)) }

        func answer(_ request: RawServer.Request) -> RawServer.Reply {
            state.withLock { state in
                state.calls.append(request)
                return state.replies.isEmpty ? .response(500, [:], Array("the script is over".utf8)) : state.replies.removeFirst()
            }
        }
    }
    static let key = P256PrivateKey.generate()
    static let credentials = ServerAPICredentials(
        issuerID: "57246542-96fe-1a63-e053-0824d011072a", keyID: "2X9R4HXF34", privateKey: key, bundleID: "com.example")

    private let script: Script
    private let server: RawServer
    let api: AppStoreServerAPI

    var calls: [RawServer.Request] { script.state.withLock { $0.calls } }

    init(_ replies: [RawServer.Reply], environment: Environment = .production, allowsPrivateTargets: Bool = true) {
        let script = Script(replies)
        self.script = script
        server = RawServer { script.answer($0) }
        api = AppStoreServerAPI(
            credentials: Self.credentials, environment: environment, baseURL: server.url + "/", client: HTTPClient(userAgent: "tests/1"),
            allowsPrivateTargets: allowsPrivateTargets, now: { script.state.withLock { $0.now } })
    }

    func advance(by span: Domain.Span) { script.state.withLock { $0.now = $0.now + span } }
    var now: Timestamp { script.state.withLock { $0.now } }

    func send(_ body: String = #"{"customerConsented":true}"#) async -> SendOutcome {
        await api.sendConsumptionInformation(transactionID: TransactionID("2000000000000002"), body: Array(body.utf8))
    }

    /// Runs a call that must fail.
    func failure<Answer>(_ call: () async throws(AppStoreServerAPIError) -> Answer) async -> AppStoreServerAPIError? {
        do throws(AppStoreServerAPIError) {
            _ = try await call()
            return nil
        } catch { return error }
    }
}

extension RawServer.Reply {
    static func json(_ text: String, status: Int = 200) -> RawServer.Reply {
        .response(status, ["Content-Type": "application/json"], Array(text.utf8))
    }
    static func error(_ code: Int64) -> RawServer.Reply {
        .json(#"{"errorCode": \#(code), "errorMessage": "Said by Apple."}"#, status: Int(code / 10_000))
    }
}

/// A bearer token taken apart.
struct BearerToken {
    let header: [String: String]
    let claims: [String: Any]
    let isSigned: Bool

    init?(_ request: RawServer.Request) {
        guard let value = request.headers["authorization"], value.hasPrefix("Bearer ") else { return nil }
        let parts = value.dropFirst(7).split(separator: ".").map { Array($0.utf8) }
        let decoded = parts.compactMap { Base64URL.decode($0) }
        guard parts.count == 3, decoded.count == 3,
            let header = try? JSONSerialization.jsonObject(with: Data(decoded[0])) as? [String: String],
            let claims = try? JSONSerialization.jsonObject(with: Data(decoded[1])) as? [String: Any]
        else { return nil }
        self.header = header
        self.claims = claims
        isSigned = ScriptedAppStore.key.publicKey.isValid(signature: decoded[2], for: parts[0] + [UInt8(ascii: ".")] + parts[1])
    }
}
