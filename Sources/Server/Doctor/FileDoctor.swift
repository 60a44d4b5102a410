import Crypto
import Domain
import Foundation

/// Looks at the files that a configuration names: who may read them, and how long the certificate holds.
struct FileDoctor {
    let configuration: Configuration
    let now: Timestamp

    var checks: [HealthCheck] { secrets.map(modeCheck) + (configuration.tls.map { [certificateCheck($0)] } ?? []) }

    private var secrets: [(name: String, path: String, app: AppID?)] {
        var files = configuration.apps.map { (name: "key-file", path: $0.serverAPI.privateKeyFile, app: Optional($0.id)) }
        if let tls = configuration.tls { files.append((name: "tls-key-file", path: tls.privateKeyFile, app: nil)) }
        if case .sqlite(let path) = configuration.database, FileManager.default.fileExists(atPath: path) {
            files.append((name: "database-file", path: path, app: nil))
        }
        return files
    }

    private func modeCheck(_ file: (name: String, path: String, app: AppID?)) -> HealthCheck {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        let check: HealthCheck =
            mode & 0o077 == 0
            ? .ok(file.name, "\(file.path) is this user's alone")
            : .warning(file.name, "others on this machine may open \(file.path)", remedy: "chmod 600 \(file.path)")
        return file.app.map(check.about) ?? check
    }

    private func certificateCheck(_ tls: TLSFiles) -> HealthCheck {
        let host = URLComponents(string: configuration.publicURL)?.host ?? ""
        do {
            let chain = try Certificate.fromPEMorDER(Array(Data(contentsOf: URL(filePath: tls.certificateFile))))
            guard let leaf = chain.first else { return .failed("certificate", "no certificate", remedy: "name a PEM file with one") }
            guard configuration.simulated || leaf.isFor(host: host) else {
                let remedy = "get a certificate for \(host), or correct publicURL"
                return .failed("certificate", "\(tls.certificateFile) is not for \(host)", remedy: remedy)
            }
            return CertificateValidity(notBefore: leaf.notBefore, notAfter: leaf.notAfter).check(
                "certificate", of: tls.certificateFile, at: now)
        } catch {
            return .failed("certificate", "\(tls.certificateFile): \(error)", remedy: "name the PEM file of the certificate and its chain")
        }
    }
}

/// When a certificate holds, in milliseconds since the epoch.
struct CertificateValidity {
    var notBefore: Int64
    var notAfter: Int64

    /// Two weeks before its end somebody has to see to it.
    func check(_ name: String, of what: String, at now: Timestamp) -> HealthCheck {
        let days = (notAfter - now.milliseconds) / Span.days(1).milliseconds
        let remedy = "renew the certificate, and restart the server or reload the proxy"
        if now.milliseconds < notBefore { return .failed(name, "\(what) is not valid yet", remedy: "check this machine's clock") }
        if now.milliseconds > notAfter { return .failed(name, "\(what) expired \(-days) days ago: Apple cannot connect", remedy: remedy) }
        return days < 14 ? .warning(name, "\(what) expires in \(days) days", remedy: remedy) : .ok(name, "\(what), valid \(days) days more")
    }
}
