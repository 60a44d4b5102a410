import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let caseRoutes: [Route] = [
        .get(
            "/v1/apps/{app}/cases",
            Operation(
                id: "listCases", summary: "Cases, newest first.",
                query: [
                    .environment, .init(name: "state", schema: .word(RefundCase.State.self), text: "Only cases in this state."),
                    .init(name: "customer", schema: .text(atMost: Call.longestName), text: "Only those of this customer, by any name."),
                    .init(name: "productId", schema: .text(atMost: Call.longestName), text: "Only those of this product."),
                    .init(
                        name: "reason", schema: .text(atMost: Call.longestName), text: "Only those whose newest request has this reason."),
                    .limit, .cursor,
                ], answer: .json(Schema.reference("Case").page)),
            DeskAPI.listCases),
        .get(
            "/v1/apps/{app}/cases/{transactionId}",
            Operation(id: "getCase", summary: "One case.", query: [.environment], answer: .json(.reference("Case"))), DeskAPI.getCase),
        .post(
            "/v1/apps/{app}/cases/{transactionId}/answer",
            Operation(
                id: "answerCase", summary: "A person answers the newest round, with a preference or none.", query: [.environment],
                body: .object(["prefer": .word(RefundPreference.self).orNull]), answer: .json(.reference("Case")),
                problems: [.alreadyAnswered, .windowClosed, .noConsent, .unanswerable, .illegalPreference]),
            DeskAPI.answerCase),
        .post(
            "/v1/apps/{app}/cases/{transactionId}/abstain",
            Operation(
                id: "abstainFromCase", summary: "A person decides that nothing is sent in the newest round.", query: [.environment],
                answer: .json(.reference("Case")), problems: [.alreadyAnswered, .windowClosed]),
            DeskAPI.abstainFromCase),
    ]

    private func listCases(_ call: Call) async throws(Problem) -> HTTPResponse {
        let customer = try call.text("customer").map(normalizedRef)
        let query = CaseQuery(
            ledger: try call.ledger(), state: try call.choice("state", of: RefundCase.State.self),
            productID: try call.text("productId").map(ProductID.init(_:)),
            rawReason: try call.text("reason"), page: try call.page())
        let page = try await read { tx throws(StoreError) -> Page<CaseFile> in
            var query = query
            if let customer {
                guard let known = try resolve(customer, in: query.ledger, tx) else { return Page(items: [], nextCursor: nil) }
                query.customer = known
            }
            let rows = try tx.cases(query)
            var files: [CaseFile] = []
            for row in rows.items {
                if let file = try CaseFile(row.transactionID, in: query.ledger, tx) { files.append(file) }
            }
            return Page(items: files, nextCursor: rows.nextCursor)
        }
        return HTTPResponse(JSON(page) { JSON($0, at: call.now) })
    }

    private func getCase(_ call: Call) async throws(Problem) -> HTTPResponse {
        let ledger = try call.ledger()
        let id = try call.transactionID()
        let file = try await read { tx throws(StoreError) in try CaseFile(id, in: ledger, tx) }
        guard let file else { throw .noSuchCase }
        return HTTPResponse(JSON(file, at: call.now))
    }

    private func answerCase(_ call: Call) async throws(Problem) -> HTTPResponse {
        let body = try call.body(as: AnswerBody.self)
        return try await decide(call) { desk, id throws(StoreError) in try desk.answer(id, preferring: body.prefer) }
    }

    private func abstainFromCase(_ call: Call) async throws(Problem) -> HTTPResponse {
        try await decide(call) { desk, id throws(StoreError) in try desk.abstain(id) }
    }

    private func decide(
        _ call: Call, by act: @escaping @Sendable (OwnerDesk, TransactionID) throws(StoreError) -> Result<Void, PersonRefusal>
    ) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let id = try call.transactionID()
        let now = call.now
        let result = try await write(touching: ledger.touching(id.rawValue)) { tx throws(StoreError) -> Result<CaseFile?, PersonRefusal> in
            let desk = OwnerDesk(app: app, ledger: ledger, tx: tx, now: now, actor: call.actor)
            if case .failure(let refusal) = try act(desk, id) { return .failure(refusal) }
            return .success(try CaseFile(id, in: ledger, tx))
        }
        switch result {
        case .failure(let refusal): throw Problem(refusal)
        case .success(let file?): return HTTPResponse(JSON(file, at: now))
        case .success(nil): throw .noSuchCase
        }
    }
}

/// `{"prefer": "DECLINE"}`; null is an answer without a preference, and must be said.
private struct AnswerBody: Decodable, Sendable {
    var prefer: RefundPreference?

    private enum CodingKeys: String, CodingKey { case prefer }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.prefer) else {
            throw DecodingError.keyNotFound(CodingKeys.prefer, .init(codingPath: decoder.codingPath, debugDescription: ""))
        }
        prefer = try container.decode(WireWord<RefundPreference>?.self, forKey: .prefer)?.value
    }
}

extension Problem {
    fileprivate static let noSuchCase = Problem(
        .notFound, "There is no case about this transaction in this ledger: nobody asked about it and nothing was refunded.")

    fileprivate init(_ refusal: PersonRefusal) {
        switch refusal {
        case .noSuchCase: self = .noSuchCase
        case .alreadyAnswered:
            self.init(.alreadyAnswered, "Apple has taken an answer in this round, or may have: another one cannot be sent.")
        case .windowClosed: self.init(.windowClosed, "There is no round whose window is open: Apple no longer waits for an answer.")
        case .noConsent:
            self.init(
                .noConsent,
                "The customer's consent is missing, withdrawn or outdated: record it with PUT …/customers/{ref}/consent first.")
        case .deliveryUnknown:
            self.init(
                .invalid,
                "Whether the purchase was delivered is unknown: record it with PUT …/transactions/{transactionId}/delivery, "
                    + "or state it for the product in the configuration.",
                field: "delivery")
        case .illegalPreference:
            self.init(
                .illegalPreference,
                "Apple takes GRANT_PRORATED on this purchase only where it was delivered and partly used: "
                    + "choose another preference, or report its usage.",
                field: "prefer")
        case .unanswerable(let because):
            self.init(.unanswerable, "No answer can be sent in this round: \(because.map(\.rawValue).joined(separator: ", ")).")
        }
    }
}
