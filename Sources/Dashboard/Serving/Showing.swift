import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    /// Shows the page of a place.
    func show(_ place: Place, _ visit: Visit) async throws(Refusal) -> HTTPResponse {
        switch place {
        case .home: return .redirect(to: try home(visit))
        case .login: return try showLogin(visit)
        case .logout, .language, .decision, .redelivery, .test, .asset: throw .methodNotAllowed
        case .page(let app, let page): return try await show(page, try frame(app, visit))
        case .caseFile(let app, let id): return try await showCase(id, try frame(app, visit))
        case .notification(let app, let uuid): return try await showNotification(uuid, try frame(app, visit))
        case .reportTable(let app): return try await giveReportTable(try frame(app, visit))
        }
    }

    private func show(_ page: Place.AppPage, _ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        switch page {
        case .queue: try await showQueue(frame)
        case .cases: try await showCases(frame)
        case .customers: try await showCustomers(frame)
        case .customer: try await showCustomer(frame)
        case .policy: try await showPolicy(frame, draft: nil)
        case .reports: try await showReport(frame)
        case .health: try await showHealth(frame)
        case .notifications: try await showNotifications(frame)
        case .audit: try await showAudit(frame)
        case .search: try await search(frame)
        }
    }

    /// Does what a form asks for.
    func act(_ place: Place, _ visit: Visit) async throws(Refusal) -> HTTPResponse {
        let form = FormBody(visit.request)
        guard forms.admits(visit.request, form, secret: visit.secret) else {
            if visit.session == nil, place == .login { return staleLogin(visit) }
            throw visit.session == nil && place != .login ? .login : .foreignForm
        }
        switch place {
        case .login: return try await logIn(form, visit)
        case .logout: return try await logOut(visit)
        case .language: return chooseLanguage(form, visit)
        case .decision(let app, let id): return try await decide(id, form, try frame(app, visit))
        case .redelivery(_, let id): return try await redeliver(id, try frame(app(of: place), visit))
        case .test(let app): return try await sendTest(try frame(app, visit))
        case .page(let app, .policy): return try await showPolicy(try frame(app, visit), draft: form["draft"])
        case .home, .page, .caseFile, .notification, .reportTable, .asset: throw .methodNotAllowed
        }
    }

    private func app(of place: Place) -> AppID { if case .redelivery(let app, _) = place { app } else { AppID("") } }

    private func home(_ visit: Visit) throws(Refusal) -> Link {
        _ = try visit.admitted()
        guard let first = visit.apps.all.first else { throw .notFound }
        return Link("apps", first.id.rawValue, "queue")
    }

    private func frame(_ app: AppID, _ visit: Visit) throws(Refusal) -> PageFrame {
        _ = try visit.admitted()
        let settings = try visit.app(app)
        return PageFrame(visit, settings, Ledger(app: app, environment: visit.environment(of: settings)))
    }
}
