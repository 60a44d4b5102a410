import Crypto
import Domain

/// Judges the token of a call as Apple does.
///
/// - Source: Generating JSON Web Tokens for API requests.
package struct TokenCheck: Sendable {
    let issuerID: String
    let keyID: String
    let key: P256PublicKey
    let bundleIDs: Set<String>

    package init(issuerID: String, keyID: String, key: P256PublicKey, bundleIDs: Set<String>) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.key = key
        self.bundleIDs = bundleIDs
    }

    /// - Parameter authorization: The header's value.
    /// - Returns: The app that the token speaks for (`bid`); nil for a token that Apple would answer with 401.
    func bundleID(authorization: String?, at now: Timestamp) -> String? {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
        let parts = authorization.dropFirst("Bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64URL.decode(Array(parts[2].utf8)), isRight(header),
            key.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        return isCurrent(claims, at: now) ? app(claims) : nil
    }

    private static func object(_ part: Substring) -> [String: JSONValue]? {
        Base64URL.decode(Array(part.utf8)).flatMap { JSONValue($0)?.object }
    }

    private func isRight(_ header: [String: JSONValue]) -> Bool {
        header["alg"]?.string == "ES256" && header["kid"]?.string == keyID && header["typ"]?.string == "JWT"
    }

    /// Whether the token runs, and for at most an hour. Apple's own Python library sends no `iat`; its life then counts from now.
    private func isCurrent(_ claims: [String: JSONValue], at now: Timestamp) -> Bool {
        let seconds = now.milliseconds / 1000
        guard let expiry = claims["exp"]?.integer, expiry > seconds else { return false }
        guard let issued = claims["iat"] else { return expiry <= seconds + 3600 }
        guard let issued = issued.integer, issued <= seconds + 1 else { return false }
        return expiry - issued <= 3600
    }

    private func app(_ claims: [String: JSONValue]) -> String? {
        guard claims["iss"]?.string == issuerID, claims["aud"]?.string == "appstoreconnect-v1" else { return nil }
        return claims["bid"]?.string.flatMap { bundleIDs.contains($0) ? $0 : nil }
    }
}
