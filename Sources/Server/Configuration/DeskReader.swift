import Domain
import Foundation
import HTTPServer

enum DeskKey: String, ConfigurationKey {
    case listen, publicURL, database, simulated, allowPrivateTargets, tls, trustedProxies, apps
}

enum TLSKey: String, ConfigurationKey { case certificateFile, privateKeyFile }

extension ConfigurationPlace {
    /// The top level of a configuration. What cannot be read is left out; whether there were mistakes, the notes tell.
    func configuration() -> Configuration? {
        guard let desk = object(DeskKey.self) else { return nil }
        let listen = desk[.listen]?.listenAddress() ?? .standard
        let simulated = desk[.simulated]?.bool() ?? false
        let publicURL = desk[.publicURL]?.publicURL(simulated: simulated) ?? "http://\(listen)"
        let database = desk.required(.database, "where things are kept, such as \"sqlite:desk.db\"")?.database()
        let allowPrivateTargets = desk[.allowPrivateTargets]?.bool() ?? simulated
        let tls = desk[.tls]?.tls()
        let trustedProxies = desk[.trustedProxies]?.trustedProxies() ?? .local
        let apps = desk.required(.apps, "name at least one app")?.apps(simulated: simulated)
        guard let database, let apps else { return nil }
        return Configuration(
            listen: listen, publicURL: publicURL, database: database, simulated: simulated, allowPrivateTargets: allowPrivateTargets,
            tls: tls, trustedProxies: trustedProxies, apps: apps)
    }

    private func listenAddress() -> ListenAddress? {
        guard let text = text() else { return nil }
        return ListenAddress(text) ?? refused("host:port is expected, such as 127.0.0.1:8080")
    }

    private func publicURL(simulated: Bool) -> String? {
        guard let url = baseURL() else { return nil }
        if !simulated, !url.lowercased().hasPrefix("https:") {
            warn("Apple posts notifications to https only: is this what the world reaches?")
        }
        return url
    }

    private func database() -> DatabaseLocation? {
        guard let text = text() else { return nil }
        if text.hasPrefix("sqlite:"), text != "sqlite:" {
            let path = absolute(String(text.dropFirst("sqlite:".count)))
            let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
            notes.files.append(ReferencedFile(path: folder, role: .databaseFolder, key: self.path, line: node.line))
            return .sqlite(path: path)
        }
        let isPostgres = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
        guard isPostgres, URLComponents(string: text) != nil else {
            return refused("\"sqlite:FILE\" or \"postgres://user:password@host/db\" is expected")
        }
        return .postgres(url: text)
    }

    private func tls() -> TLSFiles? {
        guard let tls = object(TLSKey.self) else { return nil }
        let certificate = tls.required(.certificateFile, "the PEM file of the certificate and its chain")?.file(.certificate)
        let key = tls.required(.privateKeyFile, "the PEM file of its private key")?.file(.privateKey)
        guard let certificate, let key else { return nil }
        return TLSFiles(certificateFile: certificate, privateKeyFile: key)
    }

    /// An empty list trusts nobody.
    private func trustedProxies() -> TrustedProxies? {
        guard let places = list() else { return nil }
        return TrustedProxies(places.compactMap { $0.addressBlock() })
    }

    private func addressBlock() -> AddressBlock? {
        guard let text = text() else { return nil }
        guard let block = AddressBlock(text) else {
            return refused(
                "an address, or a block such as 10.0.0.0/8 with nothing set behind its length, is expected; names are not looked up")
        }
        if block.length == 0 { warn("every client is believed about its own address: name the proxies alone") }
        return block
    }

    private func apps(simulated: Bool) -> [AppConfiguration]? {
        guard let places = list() else { return nil }
        guard !places.isEmpty else { return refused("the list is empty: name at least one app") }
        let apps = places.map { ($0, $0.app(simulated: simulated)) }
        notes.noteRepeats(of: AppKey.id, in: apps.map { ($0, $1?.id.rawValue) })
        notes.noteRepeats(of: AppKey.bundleId, in: apps.map { ($0, $1?.bundleID) })
        return apps.compactMap { $1 }
    }
}
