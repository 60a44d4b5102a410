import Crypto
import Domain
import Foundation

/// The folder that keeps a simulator's identity, so that a second run signs under the same root.
///
/// `root.pem` is for the desk's `trustedRoots`, `AuthKey_SIM.p8` for its `serverAPI`, `simulator.json` tells ids and addresses.
/// `chain.pem` and the keys stay the simulator's own.
package enum SimulatorDirectory {
    /// Reads the folder, or fills it where it is missing or empty.
    ///
    /// - Parameter now: The instant that new certificates are made for.
    /// - Throws: ``SimulatorError`` for a folder that cannot be used.
    package static func prepare(at path: String, now: Timestamp) throws(SimulatorError) -> SimulatorIdentity {
        let folder = Folder(path: path)
        try folder.create()
        guard folder.holds(Name.description) else { return try make(in: folder, now: now) }
        return try read(folder)
    }

    enum Name {
        static let root = "root.pem"
        static let chain = "chain.pem"
        static let leafKey = "leaf-key.pem"
        static let rootKey = "root-key.pem"
        static let intermediateKey = "intermediate-key.pem"
        static let apiKey = "AuthKey_\(SimulatorIdentity.keyID).p8"
        static let description = "simulator.json"
    }

    private static func make(in folder: Folder, now: Timestamp) throws(SimulatorError) -> SimulatorIdentity {
        let chain = SigningChain.generate(at: now)
        let apiKey = P256PrivateKey.generate()
        try folder.write(Name.root, chain.root.pem)
        try folder.write(Name.chain, chain.leaf.pem + chain.intermediate.pem)
        try folder.write(Name.leafKey, chain.leafKey.pem, isPrivate: true)
        try folder.write(Name.rootKey, chain.rootKey.pem, isPrivate: true)
        try folder.write(Name.intermediateKey, chain.intermediateKey.pem, isPrivate: true)
        try folder.write(Name.apiKey, apiKey.pem, isPrivate: true)
        let description = SimulatorDescription.new(apps: SimulatedApp.samples)
        try folder.write(Name.description, description.text)
        return SimulatorIdentity(path: folder.path, chain: chain, apiKey: apiKey, description: description)
    }

    private static func read(_ folder: Folder) throws(SimulatorError) -> SimulatorIdentity {
        let description = try folder.decode(SimulatorDescription.self, Name.description)
        let apiKey = try key(Name.apiKey, in: folder, P256PrivateKey.init(pem:))
        let root = try certificates(Name.root, in: folder)
        let chain = try certificates(Name.chain, in: folder)
        guard root.count == 1, chain.count == 2 else {
            throw SimulatorError("\(folder.path): \(Name.root) or \(Name.chain) is not as the simulator wrote it. Use an empty folder.")
        }
        let signing = SigningChain(
            root: root[0], intermediate: chain[1], leaf: chain[0], leafKey: try key(Name.leafKey, in: folder, P256PrivateKey.init(pem:)),
            rootKey: try key(Name.rootKey, in: folder, CertificateKey.init(pem:)),
            intermediateKey: try key(Name.intermediateKey, in: folder, CertificateKey.init(pem:)))
        return SimulatorIdentity(path: folder.path, chain: signing, apiKey: apiKey, description: description)
    }

    private static func key<Key>(
        _ name: String, in folder: Folder, _ read: (String) throws(CryptoError) -> Key
    ) throws(SimulatorError) -> Key {
        let pem = String(decoding: try folder.read(name), as: UTF8.self)
        do { return try read(pem) } catch { throw SimulatorError("\(folder.path)/\(name): \(error)") }
    }

    private static func certificates(_ name: String, in folder: Folder) throws(SimulatorError) -> [Certificate] {
        let bytes = try folder.read(name)
        do { return try Certificate.fromPEMorDER(bytes) } catch { throw SimulatorError("\(folder.path)/\(name): \(error)") }
    }
}

/// What keeps the simulator from working. The message says what to do.
package struct SimulatorError: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// The few things done with a folder.
struct Folder {
    let path: String

    private func path(_ name: String) -> String { path + "/" + name }

    func create() throws(SimulatorError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw SimulatorError("\(path): the folder cannot be made. Give one that can be written to.") }
    }

    func holds(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func read(_ name: String) throws(SimulatorError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path(name)) else {
            throw SimulatorError("\(path(name)): missing or not readable. Use an empty folder, or give the right to read it.")
        }
        return [UInt8](data)
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws(SimulatorError) -> Value {
        let bytes = try read(name)
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw SimulatorError("\(path(name)): not as the simulator wrote it. Mend it, or use an empty folder.")
        }
    }

    /// - Parameter isPrivate: Nobody but the owner may read the file, from its first byte on.
    func write(_ name: String, _ text: String, isPrivate: Bool = false) throws(SimulatorError) {
        let mode = isPrivate ? 0o600 : 0o644
        let temporary = path(name) + ".new"
        try? FileManager.default.removeItem(atPath: temporary)
        let isWritten = FileManager.default.createFile(
            atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        guard isWritten, rename(temporary, path(name)) == 0 else {
            throw SimulatorError("\(path(name)): cannot be written. Give a folder that can be written to.")
        }
    }
}
