import Domain
import HTTPServer
import Ingest
import Store

/// The HTTP API: finds the route, lets in who may call it, and answers in JSON.
package struct DeskAPI: Sendable {
    let apps: AppDirectory
    let store: any Store
    let intake: any SignedFactIntake
    let time: any Time
    let metrics: Metrics
    let repeatRefundBounds: @Sendable (AppID) -> RepeatRefundBounds
    let isInSmallBusinessProgram: @Sendable (AppID) -> Bool
    let readiness: Readiness
    private let gate = TokenGate()

    /// - Parameters:
    ///   - repeatRefundBounds: Who counts as a repeat refunder, per app.
    ///   - isInSmallBusinessProgram: By whose share of proceeds reports estimate, per app.
    ///   - reportFault: Told of each fault of the store.
    package init(
        apps: AppDirectory, store: any Store, intake: any SignedFactIntake, time: any Time, metrics: Metrics,
        repeatRefundBounds: @escaping @Sendable (AppID) -> RepeatRefundBounds = { _ in RepeatRefundBounds() },
        isInSmallBusinessProgram: @escaping @Sendable (AppID) -> Bool = { _ in false },
        reportFault: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        readiness = Readiness(report: reportFault)
        self.apps = apps
        self.store = store
        self.intake = intake
        self.time = time
        self.metrics = metrics
        self.repeatRefundBounds = repeatRefundBounds
        self.isInSmallBusinessProgram = isInSmallBusinessProgram
    }

    /// Answers every request; what it does not know is a 404.
    package func handle(_ request: HTTPRequest) async -> HTTPResponse {
        do { return try await answer(request) } catch { return HTTPResponse(error) }
    }

    /// The path is judged first, then the method, then the token; whether the thing asked for exists, the route's handler finds out.
    private func answer(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        let candidates = DeskAPI.routes.compactMap { route in
            route.path.match(request.pathSegments).map { (route: route, parameters: $0) }
        }
        guard !candidates.isEmpty else { throw Problem(.notFound, "There is nothing at this path; GET /openapi.json lists what there is.") }
        // On the path of the notifications any method but GET and POST is refused, HEAD too.
        let takesHead = !candidates.contains { $0.route.method == .post && $0.route.access == .open }
        let method = request.method == "HEAD" && takesHead ? "GET" : request.method
        guard let (route, parameters) = candidates.first(where: { $0.route.method.rawValue == method }) else {
            throw .methodNotAllowed(candidates.map(\.route.method), takesHead: takesHead)
        }
        let now = time.now()
        var actor: String?
        if case .token(let scope) = route.access { actor = try await gate.admit(request, needing: scope, store, at: now) }
        return try await route.handler(self)(Call(request: request, parameters: parameters, apps: apps, now: now, actor: actor))
    }

    static let routes: [Route] =
        notificationRoutes + caseRoutes + customerRoutes + consentRoutes + settingRoutes + entitlementRoutes + transactionRoutes
        + outageRoutes + usageRoutes + webhookRoutes + outboxRoutes + auditRoutes + reportRoutes + operationRoutes
}

extension DeskAPI {
    /// Reads one consistent view.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(Problem) -> Result {
        do { return try await store.read(body) } catch { throw noted(error) }
    }

    /// Writes in one transaction and returns when that is durable.
    ///
    /// - Parameter names: What the body reads and then writes; see ``Store/write(touching:_:)``.
    func write<Result: Sendable>(
        touching names: [String] = [], _ body: @escaping @Sendable (any WriteTransaction) throws(StoreError) -> Result
    ) async throws(Problem) -> Result {
        do { return try await store.write(touching: names, body) } catch { throw noted(error) }
    }

    /// Counts a fault of the store for the operator; the client only hears that it shall try again.
    ///
    /// A cursor that no list gave out is the client's own mistake.
    func noted(_ error: StoreError) -> Problem {
        if error.code == .cursor { return .invalid("cursor", "is none of this list's: begin again without one.") }
        metrics.count("refund_desk_store_faults_total", "code=\"\(error.code.rawValue)\"")
        readiness.note(error, at: time.now())
        return .unavailable
    }
}

extension Problem {
    fileprivate static func methodNotAllowed(_ methods: [Route.Method], takesHead: Bool) -> Problem {
        let words = methods.flatMap { $0 == .get && takesHead ? ["GET", "HEAD"] : [$0.rawValue] }
        let allowed = words.sorted().joined(separator: ", ")
        return Problem(.methodNotAllowed, "This path takes \(allowed).", headers: [("Allow", allowed)])
    }
}
