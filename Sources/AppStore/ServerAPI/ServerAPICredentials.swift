import Crypto
import Domain

/// What App Store Connect issued for calls about one app.
package struct ServerAPICredentials: Sendable {
    /// A UUID, shown in App Store Connect above the list of keys.
    package var issuerID: String
    package var keyID: String
    /// From the key's `.p8` file. It must be an In-App Purchase key: one for the App Store Connect API is refused with 401.
    package var privateKey: P256PrivateKey
    package var bundleID: String

    package init(issuerID: String, keyID: String, privateKey: P256PrivateKey, bundleID: String) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.privateKey = privateKey
        self.bundleID = bundleID
    }
}

extension Environment {
    /// Where Apple serves the App Store Server API.
    ///
    /// - Source: App Store Server API changelog, 2026-05-05.
    package var serverAPIBaseURL: String {
        switch self {
        case .production: "https://api.storekit.apple.com"
        case .sandbox: "https://api.storekit-sandbox.apple.com"
        }
    }
}
