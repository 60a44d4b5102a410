import Domain
import Foundation
import HTTPClient

/// Looks up the hosts of the owner's receivers; nothing is sent to them.
struct ReceiverDoctor: Sendable {
    let configuration: Configuration

    func checks() async -> [HealthCheck] {
        var checks: [HealthCheck] = []
        for app in configuration.apps {
            for (kind, hosts) in [
                ("webhooks", app.webhooks.map(\.url)), ("forward", app.forward.map(\.url)), ("alerts", app.alerts.map(\.address)),
            ] {
                for host in Set(hosts.compactMap { URLComponents(string: $0)?.host }).sorted() {
                    checks.append(await check(kind, host).about(app.id))
                }
            }
            if app.alerts.isEmpty {
                let remedy = "add an alert channel: else nobody hears of a request that is held, refused or about to expire"
                checks.append(.warning("alerts", "no alert channel is configured", remedy: remedy).about(app.id))
            }
        }
        return checks
    }

    private func check(_ kind: String, _ host: String) async -> HealthCheck {
        let place = await HostLookup.resolve(host)
        guard place.addressCount > 0 else {
            return .failed(kind, "\(host) cannot be resolved", remedy: "correct the URL, or the name's entry in DNS")
        }
        guard place.isPublic || configuration.allowPrivateTargets else {
            return .failed(
                kind, "\(host) is a private address, to which nothing is sent", remedy: "set allowPrivateTargets: true if that is meant")
        }
        return .ok(kind, "\(host) can be resolved")
    }
}

extension AlertConfiguration {
    /// The URL whose host is spoken to; it may hold a secret.
    fileprivate var address: String {
        switch channel {
        case .slack(let url), .discord(let url), .ntfy(let url), .webhook(let url): url
        case .telegram(_, _, let apiURL): apiURL
        case .email(let smtp, _, _): smtp
        }
    }
}
