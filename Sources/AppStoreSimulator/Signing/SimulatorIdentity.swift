import Crypto
import Foundation

/// Who a simulator is: the root it signs under, the key that opens its API, its apps.
package struct SimulatorIdentity: Sendable {
    package static let keyID = "SIM"
    package static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"

    /// The folder it is kept in.
    package let path: String
    package let chain: SigningChain
    /// The desk's key for the API; the simulator itself only needs the public half.
    package let apiKey: P256PrivateKey
    package let signer: SimulatorSigner
    package internal(set) var description: SimulatorDescription

    init(path: String, chain: SigningChain, apiKey: P256PrivateKey, description: SimulatorDescription) {
        self.path = path
        self.chain = chain
        self.apiKey = apiKey
        self.signer = chain.signer
        self.description = description
    }

    /// An identity without a folder, for tests.
    package init(chain: SigningChain, apiKey: P256PrivateKey = .generate(), apps: [SimulatedApp] = SimulatedApp.samples) {
        self.init(path: "", chain: chain, apiKey: apiKey, description: .new(apps: apps))
    }

    /// The apps that `simulator.json` names: those of the samples, or standard ones with the product ids `com.example.…`.
    package var apps: [SimulatedApp] {
        description.apps.map { app in
            SimulatedApp.samples.first { $0.bundleID == app.bundleId && $0.appAppleID == app.appAppleId }
                ?? .standard(bundleID: app.bundleId, appAppleID: app.appAppleId, name: app.name, prefix: "com.example")
        }
    }

    package var rootPath: String { path + "/" + SimulatorDirectory.Name.root }
    package var apiKeyPath: String { path + "/" + SimulatorDirectory.Name.apiKey }

    /// Tells in `simulator.json` where the simulator listens.
    package mutating func announce(productionURL: String, sandboxURL: String) throws(SimulatorError) {
        description.productionURL = productionURL
        description.sandboxURL = sandboxURL
        guard !path.isEmpty else { return }
        try Folder(path: path).write(SimulatorDirectory.Name.description, description.text)
    }
}

/// `simulator.json`: what a desk's configuration needs to know of a simulator.
package struct SimulatorDescription: Codable, Sendable {
    package struct App: Codable, Sendable {
        package var bundleId: String
        package var appAppleId: Int64
        package var name: String
    }
    package var issuerId: String
    package var keyId: String
    package var privateKeyFile: String
    package var trustedRoots: [String]
    /// Where the simulator listened last.
    package var productionURL: String?
    package var sandboxURL: String?
    /// The first is the app of scenarios; it may be replaced by the one that the desk is configured for.
    package var apps: [App]

    static func new(apps: [SimulatedApp]) -> SimulatorDescription {
        SimulatorDescription(
            issuerId: SimulatorIdentity.issuerID, keyId: SimulatorIdentity.keyID, privateKeyFile: SimulatorDirectory.Name.apiKey,
            trustedRoots: [SimulatorDirectory.Name.root],
            apps: apps.map { App(bundleId: $0.bundleID, appAppleId: $0.appAppleID, name: $0.name) })
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("text and numbers that are JSON") }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
