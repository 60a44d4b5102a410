import AppStore
import AppStoreSimulator
import Crypto
import Domain
import HTTPServer
import Synchronization

/// The App Store of a world: both environments, with ids that are the same in both, so that whatever mixes them up is seen.
final class SimulatedApple: Sendable {
    /// One chain and one key for all worlds: they decide nothing, and making them takes long.
    static let chain = SigningChain.generate(at: World.start, isPadded: false)
    static let key = P256PrivateKey.generate()
    static let verifier = SignedPayloadVerifier(roots: [chain.root])
    static let credentials = ServerAPICredentials(issuerID: "issuer", keyID: "key", privateKey: key, bundleID: SimulatedOwner.bundleID)
    static var signer: SimulatorSigner { chain.signer }

    private struct State {
        var production: StoreEnvironment
        var sandbox: StoreEnvironment
        subscript(environment: Environment) -> StoreEnvironment {
            get { environment == .production ? production : sandbox }
            set { if environment == .production { production = newValue } else { sandbox = newValue } }
        }
    }
    private let state: Mutex<State>
    private let time: VirtualTime
    private let api = StoreAPI(
        signer: signer,
        tokens: TokenCheck(issuerID: "issuer", keyID: "key", key: key.publicKey, bundleIDs: [SimulatedOwner.bundleID]))

    init(seed: UInt64, time: VirtualTime) {
        func environment(_ environment: Environment) -> StoreEnvironment {
            StoreEnvironment(world: StoreWorld(environment: environment, apps: [SimulatedOwner.goods], seed: seed), seed: seed)
        }
        state = Mutex(State(production: environment(.production), sandbox: environment(.sandbox)))
        self.time = time
    }

    func see<Result: Sendable>(_ environment: Environment, _ look: (StoreEnvironment) -> Result) -> Result {
        state.withLock { look($0[environment]) }
    }

    /// Something happens in the store.
    ///
    /// - Returns: What came of it, and the notifications that the store has to send now.
    func happen<Result: Sendable>(
        _ environment: Environment, _ change: (inout StoreEnvironment, Timestamp) throws(SimulatorError) -> Result
    ) throws(SimulatorError) -> (result: Result, notifications: [StoreNotification]) {
        let now = time.now()
        let outcome: Swift.Result<(Result, [StoreNotification]), SimulatorError> = state.withLock { state in
            Swift.Result { () throws(SimulatorError) in
                let result = try change(&state[environment], now)
                for notification in state[environment].world.takeNotifications() { state[environment].add(notification) }
                return (result, state[environment].takeUnscheduled())
            }
        }
        return try outcome.get()
    }

    func record(_ result: String, of uuid: String, _ environment: Environment) -> Int {
        let attempt = SendAttempt(date: time.now().milliseconds, result: result)
        return state.withLock { $0[environment].record(attempt, of: uuid) }
    }

    /// Answers a call of the Server API.
    func respond(to request: HTTPRequest, _ environment: Environment) -> HTTPResponse {
        let now = time.now()
        return state.withLock { api.respond(to: request, in: &$0[environment], at: now) }
    }

    func transactions(_ environment: Environment) -> [TransactionID] {
        see(environment) { $0.world.purchases.keys.sorted().map { TransactionID($0) } }
    }
}
