import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let customerRoutes: [Route] = [
        .get(
            "/v1/apps/{app}/customers",
            Operation(
                id: "listCustomers", summary: "Customers, oldest first.",
                query: [
                    .environment,
                    .init(
                        name: "repeatRefunders", schema: .boolean,
                        text:
                            "Only those who come back for refunds. A page may then hold fewer than `limit`, even none: go on by its cursor."
                    ),
                    .limit, .cursor,
                ],
                answer: .json(Schema.reference("Customer").page)),
            DeskAPI.listCustomers),
        .get(
            "/v1/apps/{app}/customers/{ref}",
            Operation(id: "getCustomer", summary: "One customer.", query: [.environment], answer: .json(.reference("Customer"))),
            DeskAPI.getCustomer),
    ]

    private func listCustomers(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let request = try call.page()
        let repeaters = try call.flag("repeatRefunders")
        let bounds = repeatRefundBounds(app.id)
        let now = call.now
        let search = RepeatRefunderSearch(ledger: ledger, bounds: bounds, now: now)
        let page = try await read { tx throws(StoreError) -> Page<CustomerProfile> in
            let customers = repeaters ? try search.page(request, tx) : try tx.customers(in: ledger, page: request)
            var profiles: [CustomerProfile] = []
            for customer in customers.items { profiles.append(try CustomerProfile(customer, app, ledger, bounds, now, tx)) }
            return Page(items: profiles, nextCursor: customers.nextCursor)
        }
        return HTTPResponse(JSON(page, JSON.init))
    }

    private func getCustomer(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let ref = try call.ref()
        let bounds = repeatRefundBounds(app.id)
        let now = call.now
        let profile = try await read { tx throws(StoreError) -> CustomerProfile? in
            guard let customer = try resolve(ref, in: ledger, tx) else { return nil }
            return try CustomerProfile(customer, app, ledger, bounds, now, tx)
        }
        guard let profile else { throw .noSuchCustomer }
        return HTTPResponse(JSON(profile))
    }
}

/// What is known of a customer beside purchases.
private struct CustomerProfile: Sendable {
    var environment: Environment
    var aliases: [Alias]
    var consent: ConsentStanding
    var preference: CustomerPreference?
    var tags: [String]
    var consentMode: ConsentMode
    var history: RefundHistory
    var bounds: RepeatRefundBounds
    /// Where the window of the bounds begins.
    var since: Timestamp

    init(
        _ customer: CustomerID, _ app: AppSettings, _ ledger: Ledger, _ bounds: RepeatRefundBounds, _ now: Timestamp,
        _ tx: any ReadTransaction
    ) throws(StoreError) {
        self.bounds = bounds
        since = bounds.since(now)
        consentMode = app.consentMode
        environment = ledger.environment
        aliases = try tx.aliases(of: customer)
        let names = refs(of: aliases)
        consent = try consentStanding(of: aliases, app: app, in: ledger, tx)
        preference = try tx.setting(.preference, refs: names, in: ledger)?.json.flatMap(CustomerPreference.init(rawValue:))
        tags = try tx.setting(.tags, refs: names, in: ledger)?.json?.split(separator: "\n").map(String.init) ?? []
        history = try RefundHistory(of: customer, in: ledger, tx)
    }

    func names(_ kind: Alias.Kind) -> [String] { aliases.filter { $0.kind == kind }.map(\.value) }
}

extension JSON {
    fileprivate init(_ profile: CustomerProfile) {
        self = [
            "environment": JSON(profile.environment),
            "appTransactionIds": JSON(profile.names(.appTransactionID)),
            "appAccountTokens": JSON(profile.names(.appAccountToken)),
            "originalTransactionIds": JSON(profile.names(.originalTransactionID)),
            "userIds": JSON(profile.names(.userID)),
            "consent": .string("\(profile.consent)"),
            "consentMode": .string(profile.consentMode.word),
            "attestation": JSON(profile.consentMode.attestation),
            "preference": JSON(profile.preference),
            "tags": JSON(profile.tags),
            "refundsRequested": JSON(profile.history.requested),
            "refundsGranted": JSON(profile.history.granted),
            "recent": [
                "days": JSON(profile.bounds.days),
                "requests": JSON(profile.history.requests(since: profile.since)),
                "refunds": JSON(profile.history.refunds(since: profile.since)),
            ],
            "paid": .array(profile.history.paid.map(JSON.init)),
            "refunded": .array(profile.history.refunded.map(JSON.init)),
        ]
    }
}
