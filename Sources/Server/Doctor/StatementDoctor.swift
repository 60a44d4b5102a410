import Domain
import Ingest

/// Looks at what the owner states: on it depends what may be answered.
struct StatementDoctor {
    let configuration: Configuration

    var checks: [HealthCheck] {
        configuration.apps.flatMap { app in
            [consentCheck(app), productCheck(app), revenueCatCheck(app)].compactMap { $0?.about(app.id) }
        }
    }

    private func consentCheck(_ app: AppConfiguration) -> HealthCheck {
        switch app.consent.mode {
        case .perCustomer: .ok("consent", "per customer: without a recorded consent nothing is answered")
        case .blanket(let attestation): .ok("consent", "blanket: every customer counts as having consented. Attested: \(attestation)")
        }
    }

    private func productCheck(_ app: AppConfiguration) -> HealthCheck {
        var unstated = app.products.byID.filter { $0.value.delivery == nil }.map(\.key.rawValue).sorted()
        if app.products.rest?.delivery == nil { unstated.append("all that are not named") }
        guard !unstated.isEmpty else { return .ok("products", "a delivery is stated for every product") }
        return .warning(
            "products", "no delivery is stated for \(unstated.joined(separator: ", "))",
            remedy: "state delivery: \"DELIVERED\" where that is true, or record each purchase's; until then its requests are not answered")
    }

    private func revenueCatCheck(_ app: AppConfiguration) -> HealthCheck? {
        guard app.forward.contains(where: \.isRevenueCat) else { return nil }
        return .warning("one-responder", "Apple's messages go on to RevenueCat", remedy: ForwardConfiguration.revenueCatWarning)
    }
}
