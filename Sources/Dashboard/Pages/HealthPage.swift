import Domain
import HTTPServer
import Ingest
import Store

extension Dashboard {
    func showHealth(_ frame: PageFrame) async throws(Refusal) -> HTTPResponse {
        guard let app = frame.app else { throw .notFound }
        let (now, page) = (frame.now, frame.visit.page(limit: 25))
        let model = try await read { tx throws(StoreError) in try HealthModel(app, dead: page, at: now, tx) }
        return HTTPResponse(frame.health(model, app))
    }
}

extension PageFrame {
    func health(_ model: HealthModel, _ app: AppSettings) -> Node {
        page(
            texts[.health], current: .health, isLive: true, heading(texts[.health], .healthIntro),
            el("div", [.class("columns even")], .group(model.ledgers.map { ledgerHealth($0) })), lanes(model), dead(model), setAside(model),
            setUp(app))
    }

    private func ledgerHealth(_ health: HealthModel.LedgerHealth) -> Node {
        let frame = PageFrame(visit, app ?? visit.apps.all[0], health.ledger)  // a page of an app has one
        let name = health.ledger.environment == .production ? Phrase.production : .sandbox
        let title = "ledger-\(health.ledger.environment.rawValue)"
        return el(
            "section", [.class("card"), Attribute("aria-labelledby", title)],
            el("h2", [.id(title)], .text(texts[name]), .text(" "), verdict(health)),
            facts(
                fact(
                    .lastNotification, health.lastArrival.map { .group([ago($0), .text(" · "), instant($0)]) } ?? .text(texts[.neverCame])),
                fact(.usualPause, health.rhythm.map { .text(texts.span($0.usualPause)) }),
                fact(
                    .failedSend,
                    health.failure.map { .group([code($0.rawResult), .text(" "), instant($0.at)]) }),
                fact(.keyState, keyState(health.contact)),
                fact(
                    .completeUntil, (health.contact?.completeUntil).map { instant($0) }),
                fact(
                    .setAside,
                    health.quarantined == 0
                        ? .text(texts.number(0))
                        : el(
                            "a", [.href(frame.link(.notifications).adding("result", "quarantined"))],
                            .text(texts.number(health.quarantined))))),
            visit.session?.mayAct == true
                ? form(
                    frame.link("health", "test"), back: link(.health),
                    el("button", [.class("button"), Attribute("data-slow", texts[.testRunning])], .text(texts[.sendTest])))
                : nil)
    }

    private func verdict(_ health: HealthModel.LedgerHealth) -> Node {
        if health.failure != nil || health.isSilent(at: now) { return badge(texts[.silent], "bad") }
        if health.contact?.failure != nil { return badge(texts[.needsLook], "warn") }
        return health.lastArrival == nil ? badge(texts[.notYet], "quiet") : badge(texts[.allWell], "good")
    }

    /// Whether Apple took the key when its history was last looked at.
    private func keyState(_ contact: LedgerContact?) -> Node {
        if let failure = contact?.failure {
            return .group([
                badge(texts[.keyTrouble], "bad"), .text(" "), el("span", [.lang("en")], .text(failure.text)), .text(" · "),
                instant(failure.at),
            ])
        }
        guard let looked = contact?.lookedAt else { return .text(texts[.keyUnknown]) }
        return .group([badge(texts[.keyAccepted], "good"), .text(" "), ago(looked)])
    }

    private func lanes(_ model: HealthModel) -> Node {
        let rows = model.lanes.map { lane in
            [
                .text(texts[lane.kind.phrase]), lane.receiver.map { receiver(lane.kind, $0) } ?? .text(texts[.apple]),
                lane.overdue == 0
                    ? badge(texts.number(0), "good")
                    : badge((lane.overdue >= HealthModel.mostOverdue ? "≥ " : "") + texts.number(Int64(lane.overdue)), "warn"),
            ]
        }
        return section(.queueDepth, id: "lanes", table(.queueDepthTable, columns: [.work, .receiver, .overdue], rows: rows))
    }

    /// The receiver's place in the configuration, and of webhooks the host: the rest of a URL may be a secret.
    private func receiver(_ kind: OutboxRow.Kind, _ name: String) -> Node {
        switch kind {
        case .webhook:
            let url = app?.events?.targets.first { $0.id == name }?.url
            return .group([code("webhooks[\(name)]"), .text(" "), .text(url.map(hostName) ?? "")])
        case .forward: return code("forward[\(name)]")
        case .alert: return code("alerts[\(name.split(separator: "/").last.map(String.init) ?? name)]")
        default: return .text("–")
        }
    }

    private func dead(_ model: HealthModel) -> Node {
        let rows = model.dead.items.map { entry in
            let row = entry.row
            let last = entry.attempts.last
            return [
                .text(texts[row.kind.phrase]),
                [.webhook, .forward, .alert].contains(row.kind)
                    ? receiver(row.kind, row.kind == .alert ? row.key : row.key) : .text(texts[.apple]),
                code(row.subject), instant(row.createdAt),
                last.map { .group([.text($0.httpStatus.map { "HTTP \($0) " } ?? ""), el("span", [.lang("en")], .text($0.error ?? ""))]) }
                    ?? .text("–"),
                visit.session?.mayAct == true && row.kind != .answer
                    ? form(link("deliveries", "\(row.id)", "redelivery"), el("button", [.class("button small")], .text(texts[.redeliver])))
                    : .text("–"),
            ] as [Node]
        }
        return section(
            .deadTitle, id: "dead",
            rows.isEmpty
                ? empty(.deadEmpty)
                : table(.deadTable, columns: [.work, .receiver, .subject, .opened, .lastTry, .act], rows: rows),
            pager(link(.health), next: model.dead.nextCursor))
    }

    private func setAside(_ model: HealthModel) -> Node? {
        guard !model.setAside.isEmpty else { return nil }
        return section(.setAsideTitle, id: "set-aside", el("p", [.class("muted")], .text(texts[.setAsideIntro])), logTable(model.setAside))
    }
}

private func hostName(_ url: String) -> String {
    let rest = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return authority.split(separator: "@").last.map(String.init) ?? ""
}
