import Domain
import Foundation
import Ingest

/// One app of the desk.
package struct AppConfiguration: Sendable {
    package var id: AppID
    /// What people read; the id where none was given.
    package var name: String
    package var bundleID: String
    /// Always there where `environments` holds Production.
    package var appAppleID: Int64?
    package var environments: Set<Environment>
    package var serverAPI: ServerAPIConfiguration
    /// Files of the certificates that replace Apple Root CA - G3; empty unless the instance is simulated.
    package var trustedRoots: [String]
    /// Whether revocation is asked for in the background.
    package var onlineChecks: Bool
    package var consent: ConsentConfiguration
    package var products: ProductCatalogue
    package var economics: Economics
    package var retention: Retention
    package var policy: Policy
    package var alerts: [AlertConfiguration]
    package var webhooks: [WebhookConfiguration]
    /// Where Apple's bodies go on to, unchanged.
    package var forward: [ForwardConfiguration]
    package var repeatRefunder: RepeatRefunder
    /// nil where sales files are not fetched.
    package var salesReports: SalesReportsConfiguration?
}

/// How to fetch sales files through the App Store Connect API.
package struct SalesReportsConfiguration: Hashable, Sendable {
    package var vendorNumber: String
    package var issuerID: String
    package var keyID: String
    package var privateKeyFile: String
    /// Without a slash at the end.
    package var url: String
}

/// How to call the App Store Server API.
package struct ServerAPIConfiguration: Hashable, Sendable {
    package var issuerID: String
    package var keyID: String
    package var privateKeyFile: String
    /// Both without a slash at the end.
    package var productionURL: String
    package var sandboxURL: String

    /// - Source: App Store Server API changelog of 2026-05-05. The `itunes` hosts before it go on working.
    package static func appleURLs(_ environment: Environment) -> [String] {
        switch environment {
        case .production: ["https://api.storekit.apple.com", "https://api.storekit.itunes.apple.com"]
        case .sandbox: ["https://api.storekit-sandbox.apple.com", "https://api.storekit-sandbox.itunes.apple.com"]
        }
    }
}

package struct ConsentConfiguration: Hashable, Sendable {
    package var mode: ConsentMode
    /// Consents to older texts do not count; nil accepts all.
    package var minimumTextVersion: String?
}

package struct Economics: Hashable, Sendable {
    package var smallBusinessProgram = false
}

/// From when on a customer counts as a repeat refunder: either number within so many days.
package struct RepeatRefunder: Hashable, Sendable {
    package var granted = 2
    package var requested = 3
    package var days = 365
}

/// A receiver of events as Standard Webhooks.
package struct WebhookConfiguration: Hashable, Sendable {
    package var url: String
    /// The signing key itself, as decoded from `whsec_…`.
    package var secret: [UInt8]
    /// Types; `*` at the end stands for any rest.
    package var events: [String]
    package var environments: Set<Environment>
}

package struct ForwardConfiguration: Hashable, Sendable {
    package var url: String
}

extension ForwardConfiguration {
    var isRevenueCat: Bool {
        let host = URLComponents(string: url)?.host?.lowercased() ?? ""
        return host == "revenuecat.com" || host.hasSuffix(".revenuecat.com")
    }

    /// Nothing that RevenueCat offers tells from outside whether it answers: the owner has to look.
    static let revenueCatWarning =
        "RevenueCat can answer refund requests too, and Apple must get one answer: choose \"Do not respond to refund requests\" under Refund "
        + "Control (\"Do not handle\" in the app's settings); see docs/revenuecat.md"
}
