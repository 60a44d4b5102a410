import HTTPServer

/// The dashboard's cookies. Scripts see none of them.
struct Cookies: Sendable {
    enum Name: String, Sendable {
        case session = "refund-desk"
        /// Ties the login form to the browser that asked for it.
        case login = "refund-desk-login"
        case language = "refund-desk-language"
    }
    /// Whether browsers reach the desk by https.
    let isSecure: Bool

    /// `__Host-`: set by this very host, over https, for all its paths; no other host can plant one.
    private func name(_ cookie: Name) -> String { isSecure ? "__Host-\(cookie.rawValue)" : cookie.rawValue }

    func value(_ cookie: Name, in request: HTTPRequest) -> String? {
        let wanted = name(cookie)
        for header in request.headers where header.name.lowercased() == "cookie" {
            for pair in header.value.split(separator: ";") {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard sides.count == 2, sides[0].drop(while: { $0 == " " }) == wanted else { continue }
                return String(sides[1])
            }
        }
        return nil
    }

    /// - Parameter seconds: How long browsers keep it; 0 takes it away.
    func set(_ cookie: Name, _ value: String, seconds: Int64) -> (name: String, value: String) {
        let secure = isSecure ? "; Secure" : ""
        return ("Set-Cookie", "\(name(cookie))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(secure)")
    }
}
