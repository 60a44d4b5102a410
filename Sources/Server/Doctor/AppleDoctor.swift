import AppStore
import Domain
import Foundation
import HTTPClient
import Outbox
import Store

/// Calls Apple as the desk does: reachable, clock, key; then has a test notification sent and looks for it in the desk's log.
struct AppleDoctor: Sendable {
    let configuration: Configuration
    let client: HTTPClient
    let time: any Domain.Time
    /// nil where the database cannot be read.
    let store: (any Store)?

    private static let statusTries = 20
    private static let logTries = 10

    func checks() async throws(DeskFault) -> [HealthCheck] {
        let apis = try DeskCore.serverAPIs(configuration, client: client, lookups: client, time: time)
        var checks: [HealthCheck] = []
        for app in configuration.apps {
            for environment in app.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
                let ledger = Ledger(app: app.id, environment: environment)
                guard let api = apis[ledger] else { continue }
                let url = environment == .production ? app.serverAPI.productionURL : app.serverAPI.sandboxURL
                checks += [await clockCheck(ledger, url)] + (await keyChecks(ledger, api))
            }
        }
        return checks
    }

    /// Any answer dates itself, also one that refuses a call without a token.
    private func clockCheck(_ ledger: Ledger, _ url: String) async -> HealthCheck {
        let request = HTTPClientRequest(
            url: "\(url)/inApps/v1/notifications/test/doctor", timeout: .seconds(10), allowsPrivateTargets: configuration.simulated)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            guard let date = response.header("Date").flatMap(HTTPDate.milliseconds) else {
                return .warning("clock", ledger, "the answer has no date", remedy: "check the API's URL and proxies on the way")
            }
            let seconds = (time.now().milliseconds - date) / 1_000
            let words = "the clock here is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") Apple's"
            let remedy = "let a time service set it (NTP): Apple refuses tokens that are dated wrong"
            switch abs(seconds) {
            case ..<10: return .ok("clock", ledger, "agrees with Apple's")
            case ..<60: return .warning("clock", ledger, words, remedy: remedy)
            default: return .failed("clock", ledger, words, remedy: remedy)
            }
        } catch {
            return .failed(
                "clock", ledger, error.message, remedy: "check the API's URL, DNS and the firewall: outgoing https must be possible")
        }
    }

    private func keyChecks(_ ledger: Ledger, _ api: AppStoreServerAPI) async -> [HealthCheck] {
        do throws(AppStoreServerAPIError) {
            let token = try await api.requestTestNotification().testNotificationToken
            let key = HealthCheck.ok("api-key", ledger, "accepted by Apple")
            guard let token else { return [key, .failed("test-notification", ledger, "Apple gave no token", remedy: "try again later")] }
            return [key, await testCheck(ledger, api, token)]
        } catch {
            let remedy = "see App Store Connect, Users and Access, Integrations, In-App Purchase, for the key, its id and the issuer's id"
            guard error.status != nil else { return [.failed("api-key", ledger, "not tested: \(error.explanation)", remedy: "try again")] }
            guard error.status != 401 else { return [.failed("api-key", ledger, error.explanation, remedy: remedy)] }
            // Only an answer with a code of Apple's own shows that the token was looked at.
            guard error.code != nil, (error.status ?? 500) < 500 else {
                return [.failed("api-key", ledger, "not tested: \(error.explanation)", remedy: "run `doctor` again in a minute")]
            }
            return [.ok("api-key", ledger, "accepted by Apple"), noTest(ledger, error)]
        }
    }

    /// - Source: Request a Test Notification: 4040007 where App Store Connect knows no URL.
    private func noTest(_ ledger: Ledger, _ error: AppStoreServerAPIError) -> HealthCheck {
        let url = "\(configuration.publicURL)/v1/apps/\(ledger.app)/notifications"
        let remedy =
            error.code == 4_040_007
            ? "set \(url) as the \(ledger.environment.rawValue) Server URL in App Store Connect, version 2"
            : "run `doctor` again in a minute"
        return .failed("test-notification", ledger, error.explanation, remedy: remedy)
    }

    private func testCheck(_ ledger: Ledger, _ api: AppStoreServerAPI, _ token: String) async -> HealthCheck {
        let name = "test-notification"
        guard let sent = await sent(api, token), let result = sent.sendAttempts?.last?.rawSendAttemptResult else {
            return .warning(name, ledger, "Apple has not sent it within \(Self.statusTries) s", remedy: "run `doctor` again in a minute")
        }
        guard result == SendAttemptResult.success.rawValue else {
            let remedy = SendAttemptResult(rawValue: result)?.remedy ?? "see Apple's page on sendAttemptResult"
            return .failed(name, ledger, "Apple could not deliver it: \(result)", remedy: remedy)
        }
        guard let store, let uuid = sent.signedPayload.flatMap(notificationUUID) else {
            return .warning(
                name, ledger, "delivered; whether the desk took it in cannot be read here", remedy: "run `doctor` on the desk's machine")
        }
        guard await isLogged(uuid, store) else {
            return .failed(
                name, ledger, "Apple delivered it, but this desk's log does not have it",
                remedy: "the URL in App Store Connect leads elsewhere, or `serve` runs on another database")
        }
        return .ok(name, ledger, "sent by Apple and in the desk's log")
    }

    /// Asks until the first try is told of; Apple takes one such call a second.
    private func sent(_ api: AppStoreServerAPI, _ token: String) async -> CheckTestNotificationResponse? {
        for _ in 0..<Self.statusTries {
            if let status = try? await api.getTestNotificationStatus(token), status.sendAttempts?.isEmpty == false { return status }
            try? await time.sleep(until: time.now() + .seconds(1))
        }
        return nil
    }

    private func isLogged(_ uuid: String, _ store: any Store) async -> Bool {
        for _ in 0..<Self.logTries {
            let isThere = try? await store.read { tx throws(StoreError) in try tx.logEntry(identity: uuid) != nil }
            if isThere == true { return true }
            try? await time.sleep(until: time.now() + .seconds(1))
        }
        return false
    }

    /// Only a name to look up: nothing here relies on the payload.
    private func notificationUUID(_ jws: String) -> String? {
        struct Payload: Decodable { var notificationUUID: String }
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        guard let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) else { return nil }
        return try? JSONDecoder().decode(Payload.self, from: data).notificationUUID
    }
}

extension SendAttemptResult {
    /// - Source: sendAttemptResult.
    var remedy: String {
        switch self {
        case .success: "nothing"
        case .timedOut: "the answer took too long: see the server's load and the way to it"
        case .tlsIssue: "check the certificate, its chain and that TLS 1.2 or newer is spoken"
        case .circularRedirect: "let the URL answer itself, without redirects"
        case .noResponse, .socketIssue, .prematureClose: "check that `serve` runs, and the proxy and firewall: Apple comes from 17.0.0.0/8"
        case .unsupportedCharset, .invalidResponse: "check that the proxy passes the desk's answers on as they are"
        case .unsuccessfulHTTPResponseCode: "see the server's log and the proxy's: the path must reach the desk"
        case .other: "see the server's log and the proxy's, and try again"
        }
    }
}
