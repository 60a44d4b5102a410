import AppStore
import Dashboard
import Domain
import Foundation
import Outbox
import Store

/// Has Apple send a test notification and looks for it in the log, for somebody who waits at the dashboard.
struct TestNotifier: Sendable {
    let apis: ServerAPIDirectory
    let store: any Store
    let time: any Domain.Time

    /// Apple takes one question after a test a second; a request to the desk is answered within half a minute.
    private static let tries = 15

    func send(_ ledger: Ledger) async -> TestNotificationResult {
        guard let api = apis[ledger] else { return .unreachable }
        do throws(AppStoreServerAPIError) {
            guard let token = try await api.requestTestNotification().testNotificationToken else { return .unreachable }
            return await follow(token, api)
        } catch {
            if error.status == 401 { return .keyRefused }
            // Source: Request a Test Notification: App Store Connect knows no URL.
            return error.code == 4_040_007 ? .noURL : .unreachable
        }
    }

    private func follow(_ token: String, _ api: AppStoreServerAPI) async -> TestNotificationResult {
        for _ in 0..<TestNotifier.tries {
            if let status = try? await api.getTestNotificationStatus(token), let last = status.sendAttempts?.last {
                guard last.rawSendAttemptResult == SendAttemptResult.success.rawValue else { return .undeliverable }
                return await isLogged(status.signedPayload) ? .arrived : .elsewhere
            }
            do { try await time.sleep(until: time.now() + .seconds(1)) } catch { return .pending }
        }
        return .pending
    }

    /// Apple may tell of its success a moment before the commit is over.
    private func isLogged(_ signedPayload: String?) async -> Bool {
        guard let uuid = signedPayload.flatMap(TestNotifier.notificationUUID) else { return false }
        for _ in 0..<5 {
            let isThere = try? await store.read { tx throws(StoreError) in try tx.logEntry(identity: uuid) != nil }
            if isThere == true { return true }
            do { try await time.sleep(until: time.now() + .seconds(1)) } catch { return false }
        }
        return false
    }

    /// Only a name to look up: nothing here relies on the payload.
    static func notificationUUID(_ jws: String) -> String? {
        struct Payload: Decodable { var notificationUUID: String }
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        guard let data = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) else { return nil }
        return try? JSONDecoder().decode(Payload.self, from: data).notificationUUID
    }
}
