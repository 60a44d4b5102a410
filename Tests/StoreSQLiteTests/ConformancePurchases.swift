import Domain
import Store
import Testing

@Suite struct ConformancePurchases {
    @Test(arguments: [
        Purchase(.full("2", original: "1"), uuid: "uuid-1", lastReversal: at(9)), Purchase(.bare("2", original: "1")),
    ])
    func aPurchaseComesBackAsItWasPut(_ purchase: Purchase) async throws {
        let store = try await StoreUnderTest.make().store
        try await store.write { tx throws(StoreError) in try tx.put(purchase, in: demo) }
        let kept = try await store.read { tx throws(StoreError) in try tx.purchase(TransactionID("2"), in: demo) }
        #expect(kept == purchase)
    }
}
