import Domain
import HTTPServer
import Ingest
import Store

/// One request with who asks, in which language, and the ways to read it.
struct Visit: Sendable {
    var request: HTTPRequest
    /// nil where nobody is logged in.
    var session: Session?
    /// What forms are tied to: the session's cookie, else the login form's; nil where the browser has neither.
    var secret: String?
    var texts: Texts
    var now: Timestamp
    var apps: AppDirectory
    var settings: DashboardSettings
}

extension Visit {
    /// The session; everything but logging in needs one.
    func admitted() throws(Refusal) -> Session {
        guard let session else { throw .login }
        return session
    }

    /// The session of somebody who may act.
    func acting() throws(Refusal) -> Session {
        let session = try admitted()
        guard session.mayAct else { throw .forbidden }
        return session
    }

    func app(_ id: AppID) throws(Refusal) -> AppSettings {
        guard let app = apps[id] else { throw .notFound }
        return app
    }

    /// The environment that the query names; Production without one, where the app has it.
    func environment(of app: AppSettings) -> Environment {
        if let named = query("environment").flatMap(Environment.init(rawValue:)), app.environments.contains(named) { return named }
        return app.environments.contains(.production) ? .production : .sandbox
    }

    /// A parameter that is filled in and not absurdly long.
    func query(_ name: String) -> String? {
        guard let text = request.query(name), !text.isEmpty, text.utf8.count <= 256 else { return nil }
        return text
    }

    func page(limit: Int) -> PageRequest { PageRequest(limit: limit, cursor: query("cursor")) }
}
