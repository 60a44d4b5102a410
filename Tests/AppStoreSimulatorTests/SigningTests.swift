import Crypto
import Domain
import Foundation
import Testing

@testable import AppStoreSimulator

struct SigningTests {
    @Test func aMessageIsACompactJWSWithThreeCertificates() throws {
        let jws = testIdentity.signer.sign(#"{"a":1}"#)
        let parts = jws.split(separator: ".")
        #expect(parts.count == 3)
        let header = try #require(Base64URL.decode(Array(parts[0].utf8)).flatMap { JSONValue($0)?.object })
        #expect(header["alg"] == "ES256")
        #expect(header["x5c"] == .array(testIdentity.chain.x5c.map { .string($0) }))
        #expect(isSigned(jws, by: testIdentity.chain))
        #expect(decodedPayload(jws) == ["a": 1])
    }

    @Test func theChainHasApplesShape() {
        let chain = testIdentity.chain
        #expect(chain.leaf.hasExtension(oid: SigningChain.leafMarker))
        #expect(chain.intermediate.hasExtension(oid: SigningChain.intermediateMarker))
        #expect(!chain.root.hasExtension(oid: SigningChain.intermediateMarker))
        #expect(chain.leaf.p256PublicKey != nil)
        #expect(chain.intermediate.p256PublicKey == nil)
        #expect(chain.leaf.notBefore <= (noon - .days(900)).milliseconds)
    }

    /// Apple's are about 18.7 kB, most of it certificates.
    @Test func aNotificationHasItsRealSize() throws {
        var world = StoreWorld(environment: .production, apps: SimulatedApp.samples, seed: 1)
        let customer = world.newCustomer(of: "com.example.acme", at: noon)
        try world.buy("com.example.pro.yearly", by: customer, at: noon)
        let size = world.takeNotifications()[0].body(testIdentity.signer).count
        #expect((16_000...20_000).contains(size), "\(size)")
    }

    @Test func aFolderKeepsTheIdentity() throws {
        let path = FileManager.default.temporaryDirectory.path + "/simulator-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try SimulatorDirectory.prepare(at: path, now: noon)
        let second = try SimulatorDirectory.prepare(at: path, now: noon + .days(1))
        #expect(first.chain.x5c == second.chain.x5c)
        #expect(first.apiKey.pem == second.apiKey.pem)
        #expect(isSigned(second.signer.sign("{}"), by: first.chain))
        for name in ["AuthKey_SIM.p8", "leaf-key.pem", "root-key.pem", "intermediate-key.pem"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600, "\(name)")
        }
        let root = try Certificate.fromPEMorDER([UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/root.pem"))))
        #expect(root.map(\.sha256) == [first.chain.root.sha256])
    }

    @Test func aBrokenFolderIsNamed() throws {
        let path = FileManager.default.temporaryDirectory.path + "/simulator-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try SimulatorDirectory.prepare(at: path, now: noon)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path + "/leaf-key.pem"))
        let error = #expect(throws: SimulatorError.self) { try SimulatorDirectory.prepare(at: path, now: noon) }
        #expect(error?.description.contains("leaf-key.pem") == true)
    }
}
