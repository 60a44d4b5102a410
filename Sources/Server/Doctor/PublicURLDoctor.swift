import Crypto
import Domain
import Foundation
import HTTPClient

/// Looks at the desk from outside, as Apple would: name, port, TLS, certificate, and whether a desk answers.
struct PublicURLDoctor: Sendable {
    let configuration: Configuration
    let client: HTTPClient
    let now: Timestamp

    private static let name = "public-url"
    private var url: String { configuration.publicURL }

    /// A simulator needs no https and no public address.
    func checks() async -> [HealthCheck] { await found().map { $0.softened(configuration.simulated) } }

    private func found() async -> [HealthCheck] {
        guard let parts = URLComponents(string: url), let host = parts.host else {
            return [.failed(Self.name, "\(url) is no URL", remedy: "set publicURL to the address that App Store Connect knows")]
        }
        var checks = formCheck(parts).map { [$0] } ?? []
        guard parts.port != 0 else { return checks }
        let place = await HostLookup.resolve(host)
        guard place.addressCount > 0 else {
            return checks + [.failed(Self.name, "\(host) cannot be resolved", remedy: "add the name to DNS, or correct publicURL")]
        }
        if !place.isPublic {
            let remedy = "if the name leads elsewhere from outside, all is well; else Apple cannot reach it"
            checks.append(.warning(Self.name, "\(host) is a private address, seen from here", remedy: remedy))
        }
        return checks + [await visit()]
    }

    /// - Source: Enabling App Store Server Notifications: https, at port 443 or from 1024 on.
    private func formCheck(_ parts: URLComponents) -> HealthCheck? {
        if parts.scheme?.lowercased() != "https" {
            return .failed(
                Self.name, "\(url) is not https, and Apple posts to https only",
                remedy: "set publicURL to the https address that the world reaches")
        }
        let port = parts.port ?? 443
        guard port != 443, port < 1_024 else { return nil }
        return .failed(Self.name, "Apple does not post to port \(port)", remedy: "use port 443, or one from 1024 on")
    }

    private func visit() async -> HealthCheck {
        // A proxy on this machine is a usual place for it.
        let request = HTTPClientRequest(url: url + "/healthz", timeout: .seconds(10), allowsPrivateTargets: true, wantsCertificates: true)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            guard response.status == 200, String(decoding: response.body, as: UTF8.self).contains("\"status\":\"ok\"") else {
                return .warning(
                    Self.name, "\(url)/healthz answers \(response.status), not as a desk does",
                    remedy: "start `serve`, and check what the proxy passes on")
            }
            guard let pem = response.certificates.first else { return .ok(Self.name, "a desk answers at \(url)") }
            guard let leaf = try? Certificate.fromPEMorDER(Array(pem.utf8)).first else {
                return .ok(Self.name, "a desk answers at \(url) over TLS")
            }
            return CertificateValidity(notBefore: leaf.notBefore, notAfter: leaf.notAfter)
                .check(Self.name, of: "a desk answers at \(url); its certificate", at: now)
        } catch {
            let remedy = "start `serve`; check the proxy, the firewall and that the certificate is for this name with its whole chain"
            return .failed(Self.name, "\(url): \(error.message)", remedy: remedy)
        }
    }
}
