import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let notificationRoutes: [Route] = [
        .post(
            "/v1/apps/{app}/notifications",
            Operation(
                id: "receiveNotification", summary: "Takes in an App Store Server Notification V2. Its signature is the proof.",
                body: .object(["signedPayload": .string]), answer: .json(.reference("Receipt")),
                problems: ProblemKind.rejections + [.unavailable]),
            access: .open, DeskAPI.receiveNotification),
        .get(
            "/v1/apps/{app}/notifications",
            Operation(
                id: "listNotifications", summary: "The log of signed messages, newest first.",
                query: [
                    .anyEnvironment, .init(name: "type", schema: .text(atMost: Call.longestName), text: "Apple's `notificationType`."),
                    .init(name: "result", schema: .word(["accepted", "quarantined"]), text: "What became of it."), .limit, .cursor,
                ], answer: .json(Schema.reference("LogItem").page)),
            DeskAPI.listNotifications),
        .get(
            "/v1/apps/{app}/notifications/{notificationUUID}",
            Operation(
                id: "getNotification", summary: "One notification, as it was signed and decoded.", query: [.anyEnvironment],
                answer: .json(.reference("LogEntry"))),
            DeskAPI.getNotification),
    ]

    func receiveNotification(_ call: Call) async throws(Problem) -> HTTPResponse {
        let receipt: Receipt
        do {
            receipt = try await intake.receiveNotification(
                call.request.body, postedTo: AppID(call.parameters["app"] ?? ""), source: .live)
        } catch { throw problem(error) }
        return HTTPResponse(JSON(receipt))
    }

    func problem(_ fault: IntakeFault) -> Problem {
        switch fault {
        case .unknownApp: .unknownApp
        case .rejected(let error): Problem(.rejected(error.code), error.detail)
        case .revocationUnknown: .unavailable
        case .store(let error): noted(error)
        }
    }

    private func listNotifications(_ call: Call) async throws(Problem) -> HTTPResponse {
        let query = LogQuery(
            app: try call.app().id, environment: try call.environmentOrAll(), rawNotificationType: try call.text("type"),
            result: try call.result(), page: try call.page())
        let page = try await read { tx throws(StoreError) in try tx.logEntries(query) }
        return HTTPResponse(JSON(page) { JSON(logItem: $0) })
    }

    private func getNotification(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app().id
        let environment = try call.environmentOrAll()
        let uuid = try call.name("notificationUUID")
        let found = try await read { tx throws(StoreError) -> (entry: LogEntry, body: [UInt8])? in
            var entry = try tx.logEntry(identity: uuid)
            if entry == nil { entry = try tx.logEntry(identity: LogEntry.quarantinedIdentity(uuid)) }
            guard let entry, entry.kind == .notification, entry.ledger.app == app,
                environment == nil || entry.ledger.environment == environment
            else { return nil }
            return (entry, try StoredBody.decode(entry, tx))
        }
        guard let (entry, body) = found, let decoded = DecodedNotification(body: body) else {
            throw Problem(
                .notFound,
                "No notification with this `notificationUUID` is in this ledger of this app; `?environment=all` looks in every ledger.")
        }
        return HTTPResponse(
            JSON(logItem: entry).adding("signedPayload", .string(decoded.signedPayload)).adding("decoded", .verbatim(decoded.json)))
    }
}

extension JSON {
    init(_ receipt: Receipt) {
        switch receipt {
        case .accepted: self = ["result": "accepted"]
        case .duplicate: self = ["result": "duplicate"]
        case .quarantined(let reason): self = ["result": "quarantined", "reason": JSON(reason)]
        }
    }

    init<Item>(_ page: Page<Item>, _ represent: (Item) -> JSON) {
        self = ["items": .array(page.items.map(represent)), "nextCursor": JSON(page.nextCursor)]
    }

    /// A transaction that came by itself has no `notificationUUID`. A quarantined message shows the environment that it claims.
    fileprivate init(logItem entry: LogEntry) {
        self = [
            "notificationUUID": JSON(entry.notificationUUID),
            "notificationType": JSON(entry.rawNotificationType),
            "subtype": JSON(entry.rawSubtype),
            "environment": JSON(entry.result == .accepted ? entry.ledger.environment.rawValue : entry.rawEnvironment),
            "signedDate": JSON(entry.signedDate),
            "receivedAt": JSON(entry.receivedAt),
            "result": JSON(entry.result),
            "reason": JSON(entry.reason),
            "source": JSON(entry.source),
            "transactionId": JSON(entry.transactionID),
        ]
    }
}

extension LogEntry {
    fileprivate var notificationUUID: String? {
        guard kind == .notification, let identity else { return nil }
        let prefix = LogEntry.quarantinedIdentity("")
        return identity.hasPrefix(prefix) ? String(identity.dropFirst(prefix.count)) : identity
    }
}

extension Call {
    /// nil is every ledger of the app: `?environment=all`.
    func environmentOrAll() throws(Problem) -> Environment? {
        if request.query("environment") == "all" { return nil }
        return try ledger().environment
    }

    fileprivate func result() throws(Problem) -> LogEntry.Result? {
        guard let text = request.query("result") else { return nil }
        guard let result = LogEntry.Result(rawValue: text) else { throw .invalid("result", "must be one of: accepted, quarantined.") }
        return result
    }
}
