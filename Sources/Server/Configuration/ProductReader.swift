import Domain
import Ingest

enum ProductKey: String, ConfigurationKey {
    case sampleContentProvided, delivery, meter, granted, costs, duration, outages, usageComplete
}

enum CostKey: String, ConfigurationKey { case unit, currency }

enum OutageKey: String, ConfigurationKey { case from, to, status }

extension ConfigurationPlace {
    func products() -> ProductCatalogue? {
        guard let members = members() else { return nil }
        var catalogue = ProductCatalogue()
        for (key, place) in members {
            guard let statement = place.product() else { continue }
            if key == "*" { catalogue.rest = statement } else { catalogue.byID[ProductID(key)] = statement }
        }
        if member("*") == nil { warn("\"*\" is missing: requests about products that are not named here stay unanswered") }
        return catalogue
    }

    private func product() -> ProductStatement? {
        guard let product = object(ProductKey.self) else { return nil }
        let sample = product.required(
            .sampleContentProvided, "Apple is told whether a sample, a trial or a description was there before the purchase")?.bool()
        let terms = ProductTerms(granted: product[.granted]?.wholeNumber(1...1_000_000_000_000), duration: product[.duration]?.period())
        let statement = ProductStatement(
            sampleContentProvided: sample ?? false, delivery: product[.delivery]?.word(DeliveryStatus.self),
            meter: product[.meter]?.filledText(), usageIsComplete: product[.usageComplete]?.bool() ?? false, terms: terms,
            outages: product[.outages]?.list()?.compactMap { $0.outage() } ?? [], costs: product[.costs]?.costs() ?? [:])
        return sample == nil ? nil : statement
    }

    private func costs() -> [String: ProductStatement.UnitCost]? {
        guard let members = members() else { return nil }
        let costs = members.compactMap { member in member.place.unitCost().map { (member.key, $0) } }
        return Dictionary(costs) { first, _ in first }
    }

    private func unitCost() -> ProductStatement.UnitCost? {
        guard let cost = object(CostKey.self) else { return nil }
        let unit = cost.required(.unit, "milliunits of the currency for each unit of the meter")?.wholeNumber(0...1_000_000_000)
        let currency = cost.required(.currency, "such as \"USD\"")?.currency()
        guard let unit, let currency else { return nil }
        return ProductStatement.UnitCost(unit: unit, currency: currency)
    }

    private func currency() -> String? {
        guard let text = text() else { return nil }
        return text.isThreeCapitals ? text : refused("an ISO 4217 code of three capital letters is expected, such as USD")
    }

    private var undeliveredWords: String { "write " + DeliveryStatus.undelivered.map(\.rawValue).joined(separator: ", ") }

    private func outage() -> Outage? {
        guard let outage = object(OutageKey.self) else { return nil }
        let from = outage.required(.from, "when it began, such as \"2026-11-01T10:00Z\"")?.instant()
        let to = outage.required(.to, "when it ended, such as \"2026-11-01T14:00Z\"")?.instant()
        let status = outage.required(.status, "such as \"UNDELIVERED_SERVER_OUTAGE\"")?.word(DeliveryStatus.self)
        guard let from, let to, let status else { return nil }
        guard from < to else { return outage[.to]?.refused("must be later than \"from\"") }
        guard status != .delivered else { return outage[.status]?.refused("what was delivered suffered no outage: \(undeliveredWords)") }
        return Outage(from: from, to: to, status: status)
    }
}

extension String {
    /// Whether this has the shape of a currency (ISO 4217) or a storefront (ISO 3166-1 alpha-3).
    var isThreeCapitals: Bool { utf8.count == 3 && utf8.allSatisfy { (0x41...0x5A).contains($0) } }
}
