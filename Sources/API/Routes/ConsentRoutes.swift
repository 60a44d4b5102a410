import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let consentRoutes: [Route] = [
        .put(
            "/v1/apps/{app}/customers/{ref}/consent",
            Operation(
                id: "putConsent", summary: "Records a customer's consent, or its withdrawal. The customer need not be known yet.",
                query: [.environment],
                body: .object(
                    [
                        "consented": .boolean, "source": .text(atMost: ConsentBody.longestSource),
                        "textVersion": .text(atMost: ConsentBody.longestVersion).orNull,
                    ], optional: ["textVersion"]),
                answer: .json(.reference("Consent")), problems: [.consentSource]),
            DeskAPI.putConsent),
        .get(
            "/v1/apps/{app}/customers/{ref}/consent",
            Operation(
                id: "listConsents", summary: "What was recorded of a customer's consent, oldest first.", query: [.environment],
                answer: .json(.reference("ConsentHistory"))),
            DeskAPI.listConsents),
    ]

    private func putConsent(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let fact = try call.body(as: ConsentBody.self).fact(about: call.ref(), at: call.now)
        let sequence = try await write(touching: ledger.touching(fact.ref)) { tx throws(StoreError) in
            try OwnerDesk(app: app, ledger: ledger, tx: tx, now: fact.at, actor: call.actor).record(fact)
        }
        // The chain's link is made as the transaction ends.
        let proven = try await read { tx throws(StoreError) in try ProvenConsent(RecordedConsent(sequence: sequence, fact: fact), tx) }
        return HTTPResponse(JSON(proven))
    }

    private func listConsents(_ call: Call) async throws(Problem) -> HTTPResponse {
        let mode = try call.app().consentMode
        let ledger = try call.ledger()
        let ref = try call.ref()
        let history = try await read { tx throws(StoreError) -> [ProvenConsent] in
            var names = [ref]
            if let customer = try resolve(ref, in: ledger, tx) {
                let known = refs(of: try tx.aliases(of: customer))
                names = known.contains(ref) ? known : known + [ref]
            }
            var proven: [ProvenConsent] = []
            for consent in try tx.consents(refs: names, in: ledger) { proven.append(try ProvenConsent(consent, tx)) }
            return proven
        }
        let list = JSON(Page(items: history, nextCursor: nil), JSON.init)
        return HTTPResponse(list.adding("mode", .string(mode.word)).adding("attestation", JSON(mode.attestation)))
    }
}

/// A consent with the hash of its link in the audit trail; nil for one recorded before there was a trail.
private struct ProvenConsent: Sendable {
    var fact: ConsentFact
    var auditHash: String?

    init(_ consent: RecordedConsent, _ tx: any ReadTransaction) throws(StoreError) {
        fact = consent.fact
        auditHash = try tx.seal(ofEntry: consent.sequence).map { hexadecimal($0.sha256) }
    }
}

private struct ConsentBody: Decodable {
    /// In characters, as the other.
    static let longestSource = 200
    static let longestVersion = 100

    var consented: Bool
    var source: String
    var textVersion: String?

    func fact(about ref: String, at now: Timestamp) throws(Problem) -> ConsentFact {
        let source = try bounded(source, "source", atMost: ConsentBody.longestSource)
        // A no counts wherever it was said.
        guard !consented || !namesAppTrackingTransparency(source) else {
            throw Problem(
                .consentSource,
                "Apple forbids App Tracking Transparency as the source of this consent: ask for it in words of your own.",
                field: "source")
        }
        var version: String?
        if let textVersion { version = try bounded(textVersion, "textVersion", atMost: ConsentBody.longestVersion) }
        return ConsentFact(ref: ref, consented: consented, source: source, textVersion: version, at: now)
    }
}

extension ConsentMode {
    /// As in the configuration.
    var word: String {
        switch self {
        case .perCustomer: "perCustomer"
        case .blanket: "blanket"
        }
    }

    /// Who attests, and where the customers agreed; nil where each customer is asked.
    var attestation: String? {
        if case .blanket(let text) = self { text } else { nil }
    }
}

extension JSON {
    fileprivate init(_ consent: ProvenConsent) {
        let fact = consent.fact
        self = [
            "at": JSON(fact.at), "consented": .bool(fact.consented), "source": .string(fact.source), "textVersion": JSON(fact.textVersion),
            "auditHash": JSON(consent.auditHash),
        ]
    }
}
