import Domain
import Testing

@testable import AppStoreSimulator

struct ConsumptionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var product: SampleProduct
        var body: String
        /// 202, 400 without a code, or a code.
        var expected: Int64
        var testDescription: String { "\(product): \(body) -> \(expected)" }
        init(_ product: SampleProduct, _ body: String, _ expected: Int64) {
            self.product = product
            self.body = body
            self.expected = expected
        }
    }
    static let base = #""customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true"#
    static let undelivered = #""customerConsented":true,"deliveryStatus":"UNDELIVERED_OTHER","sampleContentProvided":false"#
    static let rows: [Row] = [
        Row(.coins100, "{\(base)}", 202),
        Row(.proYearly, "{\(base)}", 202),
        Row(.coins100, "{\(base),\"consumptionPercentage\":0}", 202),
        Row(.coins100, "{\(base),\"consumptionPercentage\":100000}", 202),
        Row(.lifetime, "{\(base),\"refundPreference\":\"DECLINE\"}", 202),
        Row(.season, "{\(base),\"consumptionPercentage\":50000,\"refundPreference\":\"GRANT_PRORATED\"}", 202),
        Row(.proYearly, "{\(base),\"refundPreference\":\"GRANT_PRORATED\"}", 202),
        Row(.coins100, "{\(undelivered),\"consumptionPercentage\":0,\"refundPreference\":\"GRANT_FULL\"}", 202),
        Row(.proYearly, "{\(undelivered)}", 202),
        // Malformed.
        Row(.coins100, "", 400), Row(.coins100, "[]", 400), Row(.coins100, "{", 400),
        Row(.coins100, "{\(base),\"extra\":1}", 400),
        // Fields.
        Row(.coins100, "{}", 4_000_035),
        Row(.coins100, #"{"customerConsented":false,"deliveryStatus":"DELIVERED","sampleContentProvided":true}"#, 4_000_035),
        Row(.coins100, #"{"customerConsented":1,"deliveryStatus":"DELIVERED","sampleContentProvided":true}"#, 4_000_035),
        Row(.coins100, #"{"customerConsented":true,"sampleContentProvided":true}"#, 4_000_036),
        Row(.coins100, #"{"customerConsented":true,"deliveryStatus":0,"sampleContentProvided":true}"#, 4_000_036),
        Row(.coins100, #"{"customerConsented":true,"deliveryStatus":"delivered","sampleContentProvided":true}"#, 4_000_036),
        Row(.coins100, #"{"customerConsented":true,"deliveryStatus":"DELIVERED"}"#, 4_000_041),
        Row(.coins100, #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":"yes"}"#, 4_000_041),
        Row(.coins100, "{\(base),\"refundPreference\":\"UNDECLARED\"}", 4_000_044),
        Row(.coins100, "{\(base),\"refundPreference\":null}", 4_000_044),
        // Rules between fields.
        Row(.proYearly, "{\(base),\"consumptionPercentage\":0}", 4_000_209),
        Row(.coins100, "{\(base),\"consumptionPercentage\":100001}", 4_000_210),
        Row(.coins100, "{\(base),\"consumptionPercentage\":-1}", 4_000_210),
        Row(.coins100, "{\(base),\"consumptionPercentage\":0.5}", 4_000_210),
        Row(.coins100, "{\(base),\"consumptionPercentage\":\"5\"}", 4_000_210),
        Row(.coins100, "{\(undelivered),\"consumptionPercentage\":1}", 4_000_211),
        Row(.coins100, "{\(base),\"refundPreference\":\"GRANT_PRORATED\"}", 4_000_044),
        Row(.coins100, "{\(base),\"consumptionPercentage\":0,\"refundPreference\":\"GRANT_PRORATED\"}", 4_000_044),
        Row(.coins100, "{\(base),\"consumptionPercentage\":100000,\"refundPreference\":\"GRANT_PRORATED\"}", 4_000_044),
    ]

    @Test(arguments: rows) func rules(_ row: Row) throws {
        var store = TestStore()
        let id = try store.buy(row.product)
        let reply = store.consume(id, row.body)
        #expect(Int64(reply.status) == (row.expected > 999 ? row.expected / 10_000 : row.expected))
        #expect(reply.errorCode == (row.expected > 999 ? row.expected : nil))
        #expect(reply.body.isEmpty == (row.expected <= 999))
        #expect((store.environment.receipts[id] ?? []).count == (row.expected == 202 ? 1 : 0))
    }

    @Test func transactionsThatCannotBeAnswered() throws {
        var store = TestStore()
        let body = "{\(Self.base)}"
        let shared = try store.buy(.proYearly)
        let member = try store.environment.world.share(shared, with: store.customer(), at: noon)
        #expect(store.consume(member, body).errorCode == 4_000_185)
        let assigned = try store.buy(.proYearly)
        store.environment.world.modify(assigned, at: noon) { $0.inAppOwnershipType = "ASSIGNED" }
        #expect(store.consume(assigned, body).errorCode == 4_000_227)
        var options = PurchaseOptions()
        options.isAdvancedCommerce = true
        #expect(store.consume(try store.buy(.coins100, by: nil, options), body).errorCode == 4_000_212)
        #expect(store.consume(store.customer().appTransactionID, body).errorCode == 4_000_048)
        #expect(store.consume("12345", body).errorCode == 4_040_010)
        #expect(store.consume("12x45", body).errorCode == 4_000_006)
        #expect(store.consume("123456789012345678901", body).errorCode == 4_000_006)
    }

    @Test func versionOneIsForAdvancedCommerceAlone() throws {
        var store = TestStore()
        let body = """
            {"accountTenure":1,"appAccountToken":"","consumptionStatus":1,"customerConsented":true,"deliveryStatus":0,
            "lifetimeDollarsPurchased":1,"lifetimeDollarsRefunded":1,"platform":1,"playTime":1,"sampleContentProvided":true,"userStatus":1}
            """
        func path(_ id: String) -> String { "/inApps/v1/transactions/consumption/\(id)" }
        var options = PurchaseOptions()
        options.isAdvancedCommerce = true
        let advanced = try store.buy(.coins100, by: nil, options)
        #expect(store.call("PUT", path(try store.buy(.coins100)), body: body).errorCode == 4_000_047)
        #expect(store.call("PUT", path(advanced), body: body).status == 202)
        for (field, code) in [
            ("accountTenure\":1", 4_000_032), ("consumptionStatus\":1", 4_000_034), ("deliveryStatus\":0", 4_000_036),
            ("lifetimeDollarsPurchased\":1", 4_000_037), ("lifetimeDollarsRefunded\":1", 4_000_038), ("platform\":1", 4_000_039),
            ("playTime\":1", 4_000_040), ("userStatus\":1", 4_000_042),
        ] {
            let wrong = body.replacing(field, with: field.dropLast() + "9")
            #expect(store.call("PUT", path(advanced), body: wrong).errorCode == Int64(code), "\(field)")
        }
        let token = body.replacing(#""appAccountToken":"""#, with: #""appAccountToken":"x""#)
        #expect(store.call("PUT", path(advanced), body: token).errorCode == 4_000_033)
    }
}
