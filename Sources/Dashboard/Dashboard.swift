import Domain
import HTTPServer
import Ingest
import Store

/// The pages for people: finds who asks and in which language, then the page, and answers in HTML.
package struct Dashboard: Sendable {
    let apps: AppDirectory
    let store: any Store
    let time: any Time
    let metrics: Metrics
    let settings: DashboardSettings
    let sessions: SessionKeeper
    let cookies: Cookies
    let forms: FormGuard
    let throttle = LoginThrottle()

    package init(apps: AppDirectory, store: any Store, time: any Time, metrics: Metrics, settings: DashboardSettings) {
        self.apps = apps
        self.store = store
        self.time = time
        self.metrics = metrics
        self.settings = settings
        sessions = SessionKeeper(store: store)
        cookies = Cookies(isSecure: settings.isSecure)
        forms = FormGuard(publicOrigin: FormGuard.origin(of: settings.publicURL))
    }

    /// - Returns: nil where the path is none of the dashboard's.
    package func handle(_ request: HTTPRequest) async -> HTTPResponse? {
        guard let place = Place(request.pathSegments) else { return nil }
        if case .asset(let asset, let version) = place { return respond(asset, version, request) }
        let visit: Visit
        do { visit = try await self.visit(request) } catch { return respond(noted(error), visitor(request, nil, secret: nil)) }
        do throws(Refusal) {
            switch request.method {
            case "GET", "HEAD": return try await show(place, visit)
            case "POST": return try await act(place, visit)
            default: throw .methodNotAllowed
            }
        } catch { return respond(error, visit) }
    }
}

extension Dashboard {
    /// Who asks. A page that keeps itself up to date says so, and does not count as somebody being there.
    private func visit(_ request: HTTPRequest) async throws(StoreError) -> Visit {
        let isActive = request.header("Refund-Desk-Live") == nil
        guard let secret = cookies.value(.session, in: request),
            let session = try await sessions.find(secret, isActive: isActive, at: time.now())
        else { return visitor(request, nil, secret: cookies.value(.login, in: request)) }
        return visitor(request, session, secret: secret)
    }

    private func visitor(_ request: HTTPRequest, _ session: Session?, secret: String?) -> Visit {
        let chosen = cookies.value(.language, in: request).flatMap(Language.init(rawValue:))
        let language = chosen ?? Language(accepting: request.header("Accept-Language"))
        return Visit(
            request: request, session: session, secret: secret, texts: Texts(language: language), now: time.now(), apps: apps,
            settings: settings)
    }

    /// Counts a fault of the store for the operator.
    func noted(_ error: StoreError) -> Refusal {
        if error.code == .cursor { return .notFound }
        metrics.count("refund_desk_store_faults_total", "code=\"\(error.code.rawValue)\"")
        return .unavailable
    }

    /// Reads one consistent view.
    func read<Result: Sendable>(_ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result)
        async throws(Refusal) -> Result
    {
        do { return try await store.read(body) } catch { throw noted(error) }
    }

    /// Writes in one transaction; see ``Store/write(touching:_:)``.
    func write<Result: Sendable>(
        touching names: [String] = [], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(Refusal) -> Result {
        do { return try await store.write(touching: names, body) } catch { throw noted(error) }
    }
}

/// Why a page is not shown or an act not done.
enum Refusal: Error, Sendable {
    /// Nobody is logged in.
    case login
    case notFound
    case methodNotAllowed
    /// The session may only look.
    case forbidden
    /// A form of another page, another session, or one that was open too long.
    case foreignForm
    case unavailable
}
