import Domain
import HTTPServer
import Ingest
import Store

/// What the dashboard is told by whoever wires the desk.
package struct DashboardSettings: Sendable {
    /// The address that the world reaches, without a slash at the end.
    package var publicURL: String
    /// Whether browsers reach the desk by https, so that cookies are for https alone.
    package var isSecure: Bool
    package var isSimulated: Bool
    package var version: String
    /// Wrong logins are counted by the address that these name.
    package var trustedProxies: TrustedProxies
    package var repeatRefundBounds: @Sendable (AppID) -> RepeatRefundLimits
    /// By whose share of proceeds reports estimate.
    package var isInSmallBusinessProgram: @Sendable (AppID) -> Bool
    /// Apps whose messages go on to RevenueCat, which could answer too.
    package var revenueCatApps: Set<AppID>
    /// Reads the text of a policy file.
    package var readPolicy: @Sendable (String) -> PolicyDraft
    /// Has Apple send a test notification and waits for it; takes up to half a minute.
    package var sendTest: @Sendable (Ledger) async -> TestNotificationResult

    package init(
        publicURL: String, isSecure: Bool, isSimulated: Bool, version: String, trustedProxies: TrustedProxies,
        repeatRefundBounds: @escaping @Sendable (AppID) -> RepeatRefundLimits,
        isInSmallBusinessProgram: @escaping @Sendable (AppID) -> Bool, revenueCatApps: Set<AppID>,
        readPolicy: @escaping @Sendable (String) -> PolicyDraft,
        sendTest: @escaping @Sendable (Ledger) async -> TestNotificationResult
    ) {
        self.publicURL = publicURL
        self.isSecure = isSecure
        self.isSimulated = isSimulated
        self.version = version
        self.trustedProxies = trustedProxies
        self.repeatRefundBounds = repeatRefundBounds
        self.isInSmallBusinessProgram = isInSmallBusinessProgram
        self.revenueCatApps = revenueCatApps
        self.readPolicy = readPolicy
        self.sendTest = sendTest
    }
}

/// From when on a customer counts as a repeat refunder: either number within so many days.
package struct RepeatRefundLimits: Sendable {
    package var granted: Int
    package var requested: Int
    package var days: Int

    package init(granted: Int, requested: Int, days: Int) {
        self.granted = granted
        self.requested = requested
        self.days = days
    }
}

/// A policy as somebody wrote it, read.
package struct PolicyDraft: Sendable {
    /// A remark with its line, in the words of `policy check`.
    package struct Remark: Sendable, Hashable {
        package var line: Int?
        package var text: String
        package init(line: Int?, text: String) {
            self.line = line
            self.text = text
        }
    }
    /// nil where there are mistakes.
    package var policy: Policy?
    package var mistakes: [Remark]
    package var warnings: [Remark]

    package init(policy: Policy?, mistakes: [Remark], warnings: [Remark]) {
        self.policy = policy
        self.mistakes = mistakes
        self.warnings = warnings
    }
}

/// What came of a test notification.
package enum TestNotificationResult: String, Sendable, CaseIterable {
    /// Apple sent it and the desk's log has it.
    case arrived = "test-arrived"
    /// Apple says that it was delivered, and the log does not have it.
    case elsewhere = "test-elsewhere"
    /// Apple tried and failed.
    case undeliverable = "test-undeliverable"
    /// Apple has not tried yet.
    case pending = "test-pending"
    /// App Store Connect has no URL.
    case noURL = "test-no-url"
    case keyRefused = "test-key-refused"
    case unreachable = "test-unreachable"
}
