import Crypto
import Domain
import Foundation
import HTTPClient
import HTTPServer
import Synchronization

@testable import AppStoreSimulator

let day: Int64 = 86_400_000
/// 2026-11-30, noon.
let noon = Timestamp(milliseconds: 1_796_040_000_000)

/// One identity for all tests: making keys costs more than most of them.
let testIdentity = SimulatorIdentity(chain: .generate(at: noon))

/// The clock on the wall.
struct WallTime: Time {
    func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
    func sleep(until instant: Timestamp) async throws {
        try await Task.sleep(for: .milliseconds(max(0, (instant - now()).milliseconds)))
    }
}

/// A clock that only ``advance(by:)`` moves; whoever sleeps wakes then.
final class VirtualTime: Time {
    private struct State {
        var now: Timestamp
        var sleepers: [(id: UInt64, until: Timestamp, wake: CheckedContinuation<Void, any Error>)] = []
        var nextID: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }
    private let state: Mutex<State>

    init(_ now: Timestamp = noon) { state = Mutex(State(now: now)) }

    func now() -> Timestamp { state.withLock { $0.now } }

    func sleep(until instant: Timestamp) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let isOver: Bool? = state.withLock { state in
                    if state.cancelled.contains(id) { return false }
                    if instant <= state.now { return true }
                    state.sleepers.append((id, instant, wake))
                    return nil
                }
                switch isOver {
                case true?: wake.resume()
                case false?: wake.resume(throwing: CancellationError())
                case nil: break
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                let found = state.sleepers.firstIndex { $0.id == id }
                return found.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    func advance(by span: Span) {
        let due = state.withLock { state in
            state.now = state.now + span
            let due = state.sleepers.filter { $0.until <= state.now }
            state.sleepers.removeAll { $0.until <= state.now }
            return due
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// The instants slept for.
    var alarms: [Timestamp] { state.withLock { $0.sleepers.map(\.until).sorted() } }
}

/// Takes notifications, keeps them, and answers as it is told.
final class FakeDesk: Sendable {
    struct Post: Sendable {
        var body: [UInt8]
        var notification: [String: JSONValue]
        var type: String { notification["notificationType"]?.string ?? "" }
        var uuid: String { notification["notificationUUID"]?.string ?? "" }
        var data: [String: JSONValue] { notification["data"]?.object ?? [:] }
        var transaction: [String: JSONValue] { data["signedTransactionInfo"]?.string.flatMap(decodedPayload) ?? [:] }
        var renewal: [String: JSONValue] { data["signedRenewalInfo"]?.string.flatMap(decodedPayload) ?? [:] }
    }
    private final class Memory: Sendable {
        let state: Mutex<(posts: [Post], statuses: [Int])>
        init(statuses: [Int]) { state = Mutex(([], statuses)) }
    }
    private let server: HTTPServer
    private let memory: Memory
    /// For one reader.
    let arrivals: AsyncStream<Post>

    /// - Parameters:
    ///   - statuses: Of the first answers; then 200.
    ///   - judge: The status for a body; nil for as told.
    init(statuses: [Int] = [], judge: (@Sendable ([UInt8]) -> Int?)? = nil) throws {
        let memory = Memory(statuses: statuses)
        self.memory = memory
        let (arrivals, report) = AsyncStream.makeStream(of: Post.self)
        self.arrivals = arrivals
        var configuration = HTTPServerConfiguration()
        configuration.handlerDeadline = .seconds(20)
        server = try HTTPServer(configuration: configuration) { request in
            if let status = judge?(request.body) { return HTTPResponse(status: status) }
            let payload = JSONValue(request.body)?.object?["signedPayload"]?.string.flatMap(decodedPayload)
            let post = Post(body: request.body, notification: payload ?? [:])
            let status = memory.state.withLock { state in
                state.posts.append(post)
                return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
            }
            report.yield(post)
            return HTTPResponse(status: status)
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)/v1/apps/acme/notifications" }
    var posts: [Post] { memory.state.withLock { $0.posts } }
    func run() async { await server.run() }
}

/// The payload of a compact JWS, unverified.
func decodedPayload(_ jws: String) -> [String: JSONValue]? {
    let parts = jws.split(separator: ".")
    guard parts.count == 3 else { return nil }
    return Base64URL.decode(Array(parts[1].utf8)).flatMap { JSONValue($0)?.object }
}

/// Whether a JWS is signed by the leaf that it names, and that leaf is of the chain.
func isSigned(_ jws: String, by chain: SigningChain) -> Bool {
    let parts = jws.split(separator: ".").map { Array($0.utf8) }
    guard parts.count == 3, let signature = Base64URL.decode(parts[2]), let key = chain.leaf.p256PublicKey else { return false }
    return key.isValid(signature: signature, for: parts[0] + [UInt8(ascii: ".")] + parts[1])
}

/// A token for the API; change a part to make a wrong one.
struct TestToken {
    var header: JSONValue = ["alg": "ES256", "kid": "SIM", "typ": "JWT"]
    var claims: [String: JSONValue]
    var key = testIdentity.apiKey

    init(at now: Timestamp = noon, bundleID: String = "com.example.acme") {
        let seconds = now.milliseconds / 1000
        claims = [
            "iss": .string(SimulatorIdentity.issuerID), "iat": .integer(seconds), "exp": .integer(seconds + 300),
            "aud": "appstoreconnect-v1", "bid": .string(bundleID),
        ]
    }

    func with(_ name: String, _ value: JSONValue?) -> TestToken {
        var copy = self
        copy.claims[name] = value
        return copy
    }

    func withHeader(_ header: JSONValue) -> TestToken {
        var copy = self
        copy.header = header
        return copy
    }

    var authorization: String {
        let signed = Base64URL.encode(encodeJSON(header)) + "." + Base64URL.encode(encodeJSON(JSONValue.object(claims)))
        return "Bearer " + signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
    }
}
