import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let outageRoutes: [Route] = [
        .put(
            "/v1/apps/{app}/products/{productId}/outages",
            Operation(
                id: "putOutages",
                summary: "When purchases of a product did not reach their buyers; replaces what was put before, not what is configured.",
                query: [.environment],
                body: .array(of: .object(["from": moment, "to": moment, "status": Schema.undelivered]), atMost: mostOutages),
                answer: .json(.reference("Outages"))),
            DeskAPI.putOutages),
        .get(
            "/v1/apps/{app}/products/{productId}/outages",
            Operation(
                id: "listOutages", summary: "The outages that count for a product, those that decide first.", query: [.environment],
                answer: .json(.reference("Outages"))),
            DeskAPI.listOutages),
    ]

    private static let moment = Schema.any(
        of: .plausibleInstant,
        Schema(json: [
            "type": "string",
            "pattern":
                "^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?Z$",
        ]).described("UTC, as `2026-11-01T10:00Z`."))

    private func putOutages(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let product = try call.productID()
        let fact = OutagesFact(productID: product, outages: try checked(call.body(as: [OutageBody].self)), at: call.now)
        let found = try await write(touching: ledger.touching("outages/\(product)")) { tx throws(StoreError) -> ProductOutages in
            try OwnerDesk(app: app, ledger: ledger, tx: tx, now: fact.at, actor: call.actor).record(fact)
            return try ProductOutages(of: product, app, ledger, tx)
        }
        return HTTPResponse(JSON(found))
    }

    private func listOutages(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let product = try call.productID()
        let found = try await read { tx throws(StoreError) in try ProductOutages(of: product, app, ledger, tx) }
        return HTTPResponse(JSON(found))
    }
}

extension Call {
    fileprivate func productID() throws(Problem) -> ProductID { ProductID(try name("productId")) }
}

/// What counts for a product, in the order in which a purchase is looked for.
private struct ProductOutages: Sendable {
    var recorded: [Outage] = []
    var configured: [Outage]

    init(of product: ProductID, _ app: AppSettings, _ ledger: Ledger, _ tx: any ReadTransaction) throws(StoreError) {
        for name in app.products.outageNames(of: product) { recorded += try tx.outages(of: name, in: ledger) }
        configured = app.products[product]?.outages ?? []
    }
}

extension JSON {
    fileprivate init(_ found: ProductOutages) {
        let items = found.recorded.map { JSON($0, "recorded") } + found.configured.map { JSON($0, "configured") }
        self = ["items": .array(items), "nextCursor": .null]
    }

    private init(_ outage: Outage, _ origin: String) {
        self = ["from": JSON(outage.from), "to": JSON(outage.to), "status": JSON(outage.status), "origin": .string(origin)]
    }
}

private struct OutageBody: Decodable {
    var from: WireMoment
    var to: WireMoment
    var status: WireWord<DeliveryStatus>
}

private let mostOutages = 300

private func checked(_ bodies: [OutageBody]) throws(Problem) -> [Outage] {
    guard bodies.count <= mostOutages else {
        throw Problem(.invalid, "The body must not hold more than \(mostOutages) outages: join what overlaps.")
    }
    var outages: [Outage] = []
    for (index, body) in bodies.enumerated() {
        guard body.from.value < body.to.value else { throw .invalid("[\(index)].to", "must be later than `from`.") }
        guard body.status.value != .delivered else {
            let words = DeliveryStatus.undelivered.map(\.rawValue).joined(separator: ", ")
            throw .invalid("[\(index)].status", "must be one of: \(words).")
        }
        outages.append(Outage(from: body.from.value, to: body.to.value, status: body.status.value))
    }
    return outages
}
