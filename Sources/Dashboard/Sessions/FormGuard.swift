import Crypto
import HTTPServer

/// Lets only the desk's own pages post forms.
///
/// Each form carries a token that is made of the browser's secret (the session's, before login one of its own), and the request must come
/// from this host by its `Origin`.
struct FormGuard: Sendable {
    /// The origin of `publicURL`: where a proxy passes on another host, browsers still name this one.
    let publicOrigin: String

    static let field = "form"

    /// - Parameter secret: What the browser has in its cookie.
    static func token(_ secret: String) -> String {
        Base64URL.encode(HMACSHA256.authenticate(Array("refund-desk form".utf8), key: Array(secret.utf8)))
    }

    func admits(_ request: HTTPRequest, _ form: FormBody, secret: String?) -> Bool {
        guard let secret, isOwnOrigin(request) else { return false }
        return constantTimeEquals(Array(form[FormGuard.field].utf8), Array(FormGuard.token(secret).utf8))
    }

    /// Every browser of the last years names the origin of what it posts.
    private func isOwnOrigin(_ request: HTTPRequest) -> Bool {
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin" { return false }
        guard let origin = request.header("Origin")?.lowercased() else { return false }
        if origin == publicOrigin { return true }
        guard let host = request.header("Host")?.lowercased() else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Scheme, host and port of a URL.
    static func origin(of url: String) -> String {
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return lower }
        return scheme + lower.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
}
