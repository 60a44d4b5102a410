import Domain
import Testing

struct BalanceTests {
    private func coins(_ id: String, _ start: Timestamp = day(0), quantity: Int32 = 1, product: String = "coins100") -> Transaction {
        oneTime(id, "Consumable", start, product: product) { $0.quantity = quantity }
    }
    private let terms: [ProductID: ProductTerms] = [ProductID("coins100"): ProductTerms(granted: 100)]

    @Test func onePurchaseThroughThreeDoorsCountsOnce() {  // 130
        var told = Told(terms: terms)
        for at in [day(0), day(0) + .seconds(5), day(0) + .hours(1)] { told.tell(coins("6001"), at: at) }
        #expect(told.access.balances(at: day(1)) == [Balance(productID: ProductID("coins100"), purchased: 100, refunded: 0)])
        #expect(told.access.entitlements(at: day(1)).isEmpty)
    }

    @Test func refundAndReversalCreditOnce() {
        var told = Told(terms: terms)
        for id in ["1", "2", "3"] { told.tell(coins(id), at: day(0)) }
        told.tell(coins("2").refunded(at: day(5)), at: day(5))
        #expect(told.access.balances(at: day(6)) == [Balance(productID: ProductID("coins100"), purchased: 300, refunded: 100)])
        #expect(told.access.balances(at: day(6)).first?.net == 200)
        #expect(told.access.balances(at: day(4)).first?.refunded == 0, "the refund had not happened yet")
        for at in [day(7), day(8)] { told.reverse(coins("2"), at: at) }
        #expect(told.access.balances(at: day(9)) == [Balance(productID: ProductID("coins100"), purchased: 300, refunded: 0)])
    }

    @Test(
        arguments: [
            (100, 1, 50_000, 50), (100, 1, 33_333, 33), (100, 3, 33_333, 99), (nil, 3, 33_333, 0), (nil, 3, 66_667, 2), (nil, 3, nil, 3),
            (100, 1, nil, 100),
            (100, 1, 0, 0), (100, 1, 250_000, 100), (100, 1, -5, 0), (nil, -4, 100_000, 0), (Int64.max, 2, 100_000, .max),
        ] as [(Int64?, Int32, Int32?, Int64)])
    func aShareIsRoundedDownToWholeUnits(granted: Int64?, quantity: Int32, percentage: Int32?, refunded: Int64) {
        var told = Told(terms: [ProductID("pack"): ProductTerms(granted: granted)])
        let type: RevocationType? = percentage == nil ? nil : .refundProrated
        told.tell(coins("1", quantity: quantity, product: "pack").refunded(at: day(1), percentage: percentage, type: type), at: day(1))
        #expect(told.access.balances(at: day(2)).map(\.refunded) == [refunded])
        #expect(told.access.balances(at: day(2)).allSatisfy { $0.net >= 0 })
    }

    @Test func productsAreApartAndInOrder() {
        var told = Told(terms: terms)
        told.tell(coins("9", product: "gems"), at: day(0))
        told.tell(coins("1"), at: day(0))
        told.tell(coins("2", day(10)), at: day(10))
        #expect(told.access.balances(at: day(5)).map(\.productID.rawValue) == ["coins100", "gems"])
        #expect(told.access.balances(at: day(5)).map(\.purchased) == [100, 1])
        #expect(told.access.balances(at: day(-1)).isEmpty)
    }
}
