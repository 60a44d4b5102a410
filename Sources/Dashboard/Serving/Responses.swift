import HTTPServer

/// What every page is sent with: nothing is loaded from elsewhere, nothing runs that is not the desk's own file, no other page frames this
/// one, and nobody on the way keeps a copy.
let pageHeaders: [(name: String, value: String)] = [
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
            + "frame-ancestors 'none'; base-uri 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"),
    // With `no-referrer` browsers would post forms without their origin.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Vary", "Cookie, Accept-Language"),
]

extension HTTPResponse {
    /// A whole page.
    init(status: Int = 200, _ html: Node, headers: [(name: String, value: String)] = []) {
        self.init(status: status, headers: pageHeaders + headers, body: Array("<!DOCTYPE html>".utf8) + html.bytes)
    }

    /// After a form was posted, and where a page stands elsewhere.
    static func redirect(to link: Link, headers: [(name: String, value: String)] = []) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", link.text), ("Cache-Control", "no-store")] + headers)
    }
}

extension Dashboard {
    /// A file of the dashboard's own. Its version is in its path, so browsers may keep it for good.
    func respond(_ asset: Asset, _ version: String, _ request: HTTPRequest) -> HTTPResponse {
        guard ["GET", "HEAD"].contains(request.method) else { return HTTPResponse(status: 405, headers: [("Allow", "GET, HEAD")]) }
        let isCurrent = version == Asset.version
        return HTTPResponse(
            headers: [
                ("Content-Type", asset.contentType), ("X-Content-Type-Options", "nosniff"),
                ("Cache-Control", isCurrent ? "public, max-age=31536000, immutable" : "no-cache"),
            ], body: asset.bytes)
    }

    func respond(_ refusal: Refusal, _ visit: Visit) -> HTTPResponse {
        switch refusal {
        case .login: loginNeeded(visit)
        case .notFound: problem(404, .problemNotFound, visit)
        case .methodNotAllowed: problem(405, .problemNotFound, visit, headers: [("Allow", "GET, HEAD, POST")])
        case .forbidden: problem(403, .problemForbidden, visit)
        case .foreignForm: problem(403, .problemForm, visit)
        case .unavailable: problem(503, .problemUnavailable, visit, headers: [("Retry-After", "5")])
        }
    }

    private func problem(
        _ status: Int, _ phrase: Phrase, _ visit: Visit, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status: status, PageFrame(visit).problem(phrase), headers: headers)
    }
}
