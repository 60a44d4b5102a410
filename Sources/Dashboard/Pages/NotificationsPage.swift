import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showNotifications(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let visit = frame.visit
        let query = LogQuery(
            app: frame.ledger.app, environment: frame.ledger.environment, rawNotificationType: visit.query("type"),
            result: visit.query("result").flatMap(LogEntry.Result.init(rawValue:)), page: visit.page(limit: 50))
        let page = try await read { tx throws(StoreError) in try tx.logEntries(query) }
        return HTTPResponse(frame.notifications(page, query))
    }

    func showNotification(_ uuid: String, _ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        let app = frame.ledger.app
        let found = try await read { tx throws(StoreError) -> (entry: LogEntry, body: [UInt8])? in
            var entry = try tx.logEntry(identity: uuid)
            if entry == nil { entry = try tx.logEntry(identity: LogEntry.quarantinedIdentity(uuid)) }
            guard let entry, entry.kind == .notification, entry.ledger.app == app else { return nil }
            return (entry, try StoredBody.decode(entry, tx))
        }
        guard let found, let decoded = DecodedNotification(body: found.body) else { throw .notFound }
        return HTTPResponse(frame.notification(uuid, found.entry, decoded))
    }
}

extension PageFrame {
    func notifications(_ page: Page<LogEntry>, _ query: LogQuery) -> Node {
        let link = link(.notifications).adding("type", query.rawNotificationType).adding("result", query.result?.rawValue)
        return self.page(
            texts[.notifications], current: .notifications, heading(texts[.notifications], .notificationsIntro), filters(query),
            page.items.isEmpty ? empty(.notificationsEmpty) : logTable(page.items), pager(link, next: page.nextCursor))
    }

    func logTable(_ entries: [LogEntry]) -> Node {
        let rows = entries.map { entry in
            [
                entry.result == .accepted ? badge(texts[.accepted], "good") : badge(texts[.quarantined], "bad"), type(entry),
                entry.reason.map { code($0) } ?? .text("–"), instant(entry.receivedAt), entry.signedDate.map { instant($0) } ?? .text("–"),
                entry.transactionID.map { code($0) } ?? .text("–"), .text(texts[entry.source.phrase]),
            ]
        }
        return table(
            .notificationsTable, columns: [.result, .type, .why, .received, .signed, .transactionID, .source], rows: rows, class: "wide")
    }

    private func type(_ entry: LogEntry) -> Node {
        let words = [entry.rawNotificationType ?? texts[entry.kind.phrase], entry.rawSubtype].compactMap(\.self).joined(separator: " · ")
        guard let uuid = entry.notificationUUID else { return .text(words) }
        return el("a", [.href(link("notifications", uuid)), Attribute("data-open")], el("bdi", [], .text(words)))
    }

    private func filters(_ query: LogQuery) -> Node {
        func option(_ value: String, _ text: String, _ selected: String?) -> Node {
            el("option", [.value(value), value == (selected ?? "") ? Attribute("selected") : nil], .text(text))
        }
        return el(
            "form", [.class("filters"), .action(link(.notifications))],
            ledger.environment == .production
                ? nil : el("input", [.type("hidden"), .name("environment"), .value(ledger.environment.rawValue)]),
            el(
                "label", [], .text(texts[.type]),
                el(
                    "select", [.name("type")], option("", texts[.any], query.rawNotificationType),
                    .group(NotificationType.allCases.map { option($0.rawValue, $0.rawValue, query.rawNotificationType) }))),
            el(
                "label", [], .text(texts[.result]),
                el(
                    "select", [.name("result")], option("", texts[.any], query.result?.rawValue),
                    option("accepted", texts[.accepted], query.result?.rawValue),
                    option("quarantined", texts[.quarantined], query.result?.rawValue))),
            el("button", [.class("button")], .text(texts[.filter])))
    }

    func notification(_ uuid: String, _ entry: LogEntry, _ decoded: DecodedNotification) -> Node {
        page(
            texts[.notification], current: .notifications,
            el(
                "div", [.class("heading")], el("p", [.class("eyebrow")], .text(texts[.notification]), .text(" "), code(uuid)),
                el("h1", [], el("bdi", [], .text(entry.rawNotificationType ?? "")))),
            logTable([entry]),
            section(
                .decodedTitle, id: "decoded",
                el("pre", [Attribute("tabindex", "0"), .label(texts[.decodedTitle])], .text(indented(decoded.json)))),
            section(
                .rawTitle, id: "raw", el("pre", [Attribute("tabindex", "0"), .label(texts[.rawTitle])], .text(decoded.signedPayload))))
    }
}

extension LogEntry {
    fileprivate var notificationUUID: String? {
        guard kind == .notification, let identity else { return nil }
        let prefix = LogEntry.quarantinedIdentity("")
        return identity.hasPrefix(prefix) ? String(identity.dropFirst(prefix.count)) : identity
    }
}

extension LogEntry.Source {
    fileprivate var phrase: Phrase {
        switch self {
        case .live: .sourceLive
        case .history: .sourceHistory
        case .client: .sourceClient
        case .owner: .sourceOwner
        case .desk: .desk
        }
    }
}

/// JSON over several lines. Every other byte stays as it is, so no number changes.
func indented(_ json: [UInt8]) -> String {
    var out: [UInt8] = []
    var (depth, isInString, isEscaped) = (0, false, false)
    func newLine() { out += [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: depth * 2) }
    for byte in json {
        if isInString {
            out.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            continue
        }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            out.append(byte)
            depth += 1
            newLine()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(depth - 1, 0)
            newLine()
            out.append(byte)
        case UInt8(ascii: ","):
            out.append(byte)
            newLine()
        case UInt8(ascii: ":"): out += [byte, UInt8(ascii: " ")]
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
        default:
            if byte == UInt8(ascii: "\"") { isInString = true }
            out.append(byte)
        }
    }
    return String(decoding: out, as: UTF8.self)
}
