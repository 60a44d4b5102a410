import Crypto
import Domain
import HTTPServer
import Store

extension Dashboard {
    /// Nobody is logged in: the login form, with the way back to what was asked for.
    ///
    /// Browsers leave the session's cookie out where a link on another site leads here. They send it once this page asks anew by itself.
    func loginNeeded(_ visit: Visit) -> HTTPResponse {
        let isFromElsewhere = visit.request.header("Sec-Fetch-Site") == "cross-site"
        if isFromElsewhere, visit.request.method == "GET" { return HTTPResponse(PageFrame(visit).knocking(again: back(visit))) }
        return loginForm(visit, nil, status: 200)
    }

    func showLogin(_ visit: Visit) throws(Refusal) -> HTTPResponse {
        visit.session == nil ? loginForm(visit, nil, status: 200) : .redirect(to: Link())
    }

    /// The browser kept no cookie, or another tab has asked for the form since.
    func staleLogin(_ visit: Visit) -> HTTPResponse { loginForm(visit, .loginStale, status: 403) }

    func logIn(_ form: FormBody, _ visit: Visit) async throws(Refusal) -> HTTPResponse {
        let address = LoginThrottle.address(of: visit.request, behind: settings.trustedProxies)
        if let wait = throttle.wait(for: address, at: visit.now) {
            let seconds = (wait.milliseconds + 999) / 1_000
            return loginForm(visit, .loginThrottled, status: 429, headers: [("Retry-After", "\(seconds)")])
        }
        let token = form["token"].filter { !$0.isWhitespace }
        guard (1...512).contains(token.utf8.count) else { return loginForm(visit, .loginRefused, status: 422) }
        let secret: String?
        do { secret = try await sessions.begin(withToken: token, at: visit.now) } catch { throw noted(error) }
        guard let secret else {
            throttle.noteFailure(from: address, at: visit.now)
            metrics.count("refund_desk_dashboard_login_failures_total")
            return loginForm(visit, .loginRefused, status: 403)
        }
        return .redirect(
            to: Dashboard.ownLink(form["back"]),
            headers: [
                cookies.set(.session, secret, seconds: SessionKeeper.longest.milliseconds / 1_000), cookies.set(.login, "", seconds: 0),
            ])
    }

    func logOut(_ visit: Visit) async throws(Refusal) -> HTTPResponse {
        let session = try visit.admitted()
        do { try await sessions.end(session) } catch { throw noted(error) }
        return .redirect(to: Link("login"), headers: [cookies.set(.session, "", seconds: 0), ("Clear-Site-Data", "\"cache\"")])
    }

    func chooseLanguage(_ form: FormBody, _ visit: Visit) -> HTTPResponse {
        let language = Language(rawValue: form["language"]) ?? visit.texts.language
        return .redirect(
            to: Dashboard.ownLink(form["back"]), headers: [cookies.set(.language, language.rawValue, seconds: 365 * 86_400)])
    }

    private func loginForm(
        _ visit: Visit, _ remark: Phrase?, status: Int, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        var visit = visit
        var headers = headers
        if visit.session != nil || visit.secret == nil {
            // A form of its own for this browser, good for a day.
            visit.secret = Base64URL.encode(randomBytes(32))
            headers.append(cookies.set(.login, visit.secret ?? "", seconds: 86_400))
        }
        return HTTPResponse(status: status, PageFrame(visit).login(remark, back: back(visit)), headers: headers)
    }

    /// Where somebody wanted to go who has to log in first.
    private func back(_ visit: Visit) -> Link {
        let asked = visit.request
        if asked.method == "POST" { return Dashboard.ownLink(FormBody(asked)["back"]) }
        guard asked.pathSegments.first == "apps" else { return Link() }
        return Link(segments: asked.pathSegments, query: asked.query.map { Link.Pair(name: $0.name, value: $0.value) })
    }

    /// A way back that a form carries, taken apart and put together anew: it can only lead to a page of this desk.
    static func ownLink(_ text: String) -> Link {
        guard text.utf8.count <= 2_000, text.hasPrefix("/apps/") || text.hasPrefix("/login") else { return Link() }
        let request = HTTPRequest(target: text)
        guard request.pathSegments.first == "apps" || request.pathSegments == ["login"] else { return Link() }
        return Link(segments: request.pathSegments, query: request.query.map { Link.Pair(name: $0.name, value: $0.value) })
    }
}
