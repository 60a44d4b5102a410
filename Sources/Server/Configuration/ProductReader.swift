import Domain

private enum ProductKey: String, ConfigurationKey {
    case sampleContentProvided, delivery, meter, granted, costs, duration, outages, usageComplete
}

private enum CostKey: String, ConfigurationKey { case unit, currency }

private enum OutageKey: String, ConfigurationKey { case from, to, status }

extension ConfigurationPlace {
    func products() -> ProductCatalog? {
        guard let members = members() else { return nil }
        var named: [ProductID: ProductConfiguration] = [:]
        var others: ProductConfiguration?
        for (key, place) in members {
            guard let product = place.product() else { continue }
            if key == "*" { others = product } else { named[ProductID(key)] = product }
        }
        guard members.contains(where: { $0.key == "*" }) else {
            return refused("\"*\" is missing: state what holds for products without an entry, { sampleContentProvided: true or false }")
        }
        return others.map { ProductCatalog(named: named, others: $0) }
    }

    private func product() -> ProductConfiguration? {
        guard let product = object(ProductKey.self) else { return nil }
        let sample = product.required(
            .sampleContentProvided, "Apple is told whether a sample, a trial or a description was there before the purchase")?.bool()
        let delivery = product[.delivery]?.word(DeliveryStatus.self)
        let meter = product[.meter]?.filledText()
        let granted = product[.granted]?.wholeNumber(1...1_000_000_000_000)
        let costs = product[.costs]?.costs() ?? [:]
        let duration = product[.duration]?.period()
        let outages = product[.outages]?.list()?.compactMap { $0.outage() } ?? []
        let usageComplete = product[.usageComplete]?.bool() ?? false
        guard let sample else { return nil }
        return ProductConfiguration(
            sampleContentProvided: sample, delivery: delivery, meter: meter, granted: granted, costs: costs, duration: duration,
            outages: outages,
            usageComplete: usageComplete)
    }

    private func costs() -> [String: UnitCost]? {
        guard let members = members() else { return nil }
        let costs = members.compactMap { member in member.place.unitCost().map { (member.key, $0) } }
        return Dictionary(costs) { first, _ in first }
    }

    private func unitCost() -> UnitCost? {
        guard let cost = object(CostKey.self) else { return nil }
        let unit = cost.required(.unit, "milliunits of the currency for each unit of the meter")?.number()
        let currency = cost.required(.currency, "such as \"USD\"")?.currency()
        guard let unit, let currency else { return nil }
        guard unit >= ExactDecimal(0) else { return cost[.unit]?.refused("a cost cannot be negative") }
        return UnitCost(milliunits: unit, currency: currency)
    }

    private func currency() -> String? {
        guard let text = text() else { return nil }
        return text.isThreeCapitals ? text : refused("an ISO 4217 code of three capital letters is expected, such as USD")
    }

    private func outage() -> Outage? {
        guard let outage = object(OutageKey.self) else { return nil }
        let from = outage.required(.from, "when it began, such as \"2026-11-01T10:00Z\"")?.instant()
        let to = outage.required(.to, "when it ended, such as \"2026-11-01T14:00Z\"")?.instant()
        let status = outage.required(.status, "such as \"UNDELIVERED_SERVER_OUTAGE\"")?.word(DeliveryStatus.self)
        guard let from, let to, let status else { return nil }
        guard from < to else { return outage[.to]?.refused("must be later than \"from\"") }
        return Outage(from: from, to: to, status: status)
    }
}

extension String {
    /// Whether this has the shape of a currency (ISO 4217) or a storefront (ISO 3166-1 alpha-3).
    var isThreeCapitals: Bool { utf8.count == 3 && utf8.allSatisfy { (0x41...0x5A).contains($0) } }
}
