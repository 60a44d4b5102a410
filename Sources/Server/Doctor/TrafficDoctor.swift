import AppStore
import Domain
import Ingest
import Store

/// Looks at what came in and what was left undone.
struct TrafficDoctor: Sendable {
    let configuration: Configuration
    let store: any Store
    let now: Timestamp

    func checks() async -> [HealthCheck] {
        var checks: [HealthCheck] = []
        for app in configuration.apps {
            do throws(StoreError) {
                for environment in app.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
                    let ledger = Ledger(app: app.id, environment: environment)
                    checks += try await ledgerChecks(ledger)
                }
                checks.append(try await deadLetters(app.id))
            } catch {
                checks.append(.failed("database", "\(error)", remedy: "see the other findings about the database").about(app.id))
            }
        }
        return checks
    }

    private func ledgerChecks(_ ledger: Ledger) async throws(StoreError) -> [HealthCheck] {
        let now = now
        let (last, silence, failure, aside) = try await store.read { tx throws(StoreError) in
            let watch = WatchDesk(ledger: ledger, tx: tx, now: now)
            return (
                try tx.lastArrival(in: ledger), try watch.silence(), try watch.failureSinceLastArrival(),
                try tx.quarantinedCount(in: ledger)
            )
        }
        return [arrivalCheck(ledger, last, silence)] + (failure.map { [failureCheck(ledger, $0)] } ?? []) + [quarantineCheck(ledger, aside)]
    }

    private func arrivalCheck(_ ledger: Ledger, _ last: Timestamp?, _ silence: WatchFinding?) -> HealthCheck {
        let url = "\(configuration.publicURL)/v1/apps/\(ledger.app)/notifications"
        let remedy = "check that App Store Connect has \(url) as the \(ledger.environment.rawValue) Server URL, version 2"
        guard let last else { return .warning("last-notification", ledger, "none ever came", remedy: remedy) }
        if let detail = silence?.notice.detail { return .warning("last-notification", ledger, detail, remedy: remedy) }
        return .ok("last-notification", ledger, "\(agoText(now - last)) ago")
    }

    private func failureCheck(_ ledger: Ledger, _ failure: LedgerContact.SendFailure) -> HealthCheck {
        .warning(
            "failed-sends", ledger, "Apple's last try failed \(agoText(now - failure.at)) ago: \(failure.rawResult)",
            remedy: SendAttemptResult(rawValue: failure.rawResult)?.remedy ?? "see Apple's page on sendAttemptResult")
    }

    private func quarantineCheck(_ ledger: Ledger, _ count: Int64) -> HealthCheck {
        guard count > 0 else { return .ok("quarantine", ledger, "nothing is set aside") }
        return .warning(
            "quarantine", ledger, "\(count) signed messages are set aside and not applied",
            remedy: "GET /v1/apps/\(ledger.app)/notifications?result=quarantined&environment=all tells why")
    }

    private func deadLetters(_ app: AppID) async throws(StoreError) -> HealthCheck {
        let dead = try await store.read { tx throws(StoreError) in try tx.outboxDead(of: app) }
        guard !dead.isEmpty else { return HealthCheck.ok("outbox", "nothing was given up").about(app) }
        let counts = dead.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) of kind \($0.key.rawValue)" }
        return HealthCheck.warning(
            "outbox", "given up: \(counts.joined(separator: ", "))",
            remedy: "GET /v1/apps/\(app)/outbox?environment=all tells why; POST …/outbox/{id}/redrive takes one up again"
        ).about(app)
    }

    private func agoText(_ span: Span) -> String {
        let minutes = max(span.milliseconds, 0) / Span.minutes(1).milliseconds
        return minutes < 120 ? "\(minutes) minutes" : minutes < 2_880 ? "\(minutes / 60) hours" : "\(minutes / 1_440) days"
    }
}
