/// Where a fact counts. Environments never mix: each has a ledger, an API host and customers of its own.
package enum Environment: String, Sendable, CaseIterable, Hashable {
    case production = "Production"
    case sandbox = "Sandbox"

    /// How long after its `signedDate` a `CONSUMPTION_REQUEST` may be answered.
    ///
    /// - Source: Send Consumption Information (12 hours); Testing refund requests (5 minutes in the sandbox).
    package var answerWindow: Span {
        switch self {
        case .production: .hours(12)
        case .sandbox: .minutes(5)
        }
    }
}

/// One app in one environment.
package struct Ledger: Hashable, Sendable, Comparable {
    package var app: AppID
    package var environment: Environment

    package init(app: AppID, environment: Environment) {
        self.app = app
        self.environment = environment
    }

    package static func < (a: Ledger, b: Ledger) -> Bool {
        (a.app.rawValue, a.environment.rawValue) < (b.app.rawValue, b.environment.rawValue)
    }
}
