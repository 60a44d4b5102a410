import AppStore
import Domain

/// Keeps what is known of certificates from lapsing, so that a message after a quiet time need not be sent twice.
package struct RevocationKeeper: Service {
    package let name = "revocation"
    private let checks: RevocationChecks
    private let time: any Time

    package init(checks: RevocationChecks, time: any Time) {
        self.checks = checks
        self.time = time
    }

    package func run() async throws {
        while !Task.isCancelled {
            do { try await time.sleep(until: time.now() + .minutes(1)) } catch { return }
            checks.renew()
        }
    }
}
