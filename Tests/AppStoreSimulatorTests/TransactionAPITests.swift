import Domain
import Testing

@testable import AppStoreSimulator

struct TransactionAPITests {
    @Test func aTransactionIsSignedAnew() throws {
        var store = TestStore()
        let id = try store.buy(.proYearly)
        store.now = noon + .hours(1)
        let reply = store.call("GET", "/inApps/v1/transactions/\(id)")
        let jws = try #require(reply.json["signedTransactionInfo"]?.string)
        #expect(isSigned(jws, by: testIdentity.chain))
        #expect(decodedPayload(jws)?["signedDate"] == .integer(store.now.milliseconds))
        #expect(decodedPayload(jws)?["transactionId"] == .string(id))
        #expect(store.call("GET", "/inApps/v1/transactions/\(store.customer().appTransactionID)").errorCode == 4_000_048)
        #expect(store.call("GET", "/inApps/v1/transactions/nonsense").errorCode == 4_000_006)
        #expect(store.call("GET", "/inApps/v1/transactions/99").errorCode == 4_040_010)
    }

    @Test func refundHistoryGoesByTwenties() throws {
        var store = TestStore()
        let buyer = store.customer()
        var ids: [String] = []
        for _ in 0..<45 { ids.append(try store.buy(.coins100, by: buyer)) }
        let kept = try store.buy(.coins100, by: buyer)
        // Refunded in the opposite order: the list goes by revocationDate.
        for (index, id) in ids.reversed().enumerated() {
            try store.environment.world.refund(id, at: noon + .minutes(Int64(index)))
        }
        var seen: [String] = []
        var revision: String?
        var pages: [Int] = []
        var hasMore = true
        while hasMore {
            let reply = store.call("GET", "/inApps/v2/refund/lookup/\(kept)", query: revision.map { [("revision", $0)] } ?? [])
            let page = reply.items("signedTransactions").compactMap { decodedPayload($0)?["transactionId"]?.string }
            seen += page
            pages.append(page.count)
            revision = reply.json["revision"]?.string
            hasMore = reply.json["hasMore"] == true
        }
        #expect(pages == [20, 20, 5])
        #expect(seen == ids.reversed())
        // A revision is kept to resume later.
        try store.environment.world.refund(kept, at: noon + .hours(5))
        let later = store.call("GET", "/inApps/v2/refund/lookup/\(kept)", query: [("revision", revision ?? "")])
        #expect(later.items("signedTransactions").compactMap { decodedPayload($0)?["transactionId"]?.string } == [kept])
        #expect(store.call("GET", "/inApps/v2/refund/lookup/\(kept)", query: [("revision", "x")]).errorCode == 4_000_005)
    }

    @Test func historyHonoursItsParameters() throws {
        var store = TestStore()
        let buyer = store.customer()
        let coins = try store.buy(.coins100, by: buyer)
        store.now = noon + .hours(1)
        let year = try store.buy(.proYearly, by: buyer)
        try store.environment.world.refund(coins, at: noon + .hours(2))
        func ids(_ query: [(String, String)]) -> [String] {
            var store = store
            return store.call("GET", "/inApps/v2/history/\(buyer.appTransactionID)", query: query).items("signedTransactions")
                .compactMap { decodedPayload($0)?["transactionId"]?.string }
        }
        #expect(ids([]) == [year, coins])  // by modification
        #expect(ids([("sort", "DESCENDING")]) == [coins, year])
        #expect(ids([("productType", "CONSUMABLE")]) == [coins])
        #expect(ids([("productType", "CONSUMABLE"), ("productType", "AUTO_RENEWABLE")]) == [year, coins])
        #expect(ids([("productId", "com.example.pro.yearly")]) == [year])
        #expect(ids([("revoked", "true")]) == [coins])
        #expect(ids([("revoked", "false")]) == [year])
        #expect(ids([("inAppOwnershipType", "FAMILY_SHARED")]) == [])
        #expect(ids([("startDate", String((noon + .minutes(1)).milliseconds))]) == [year])
        #expect(ids([("endDate", String(noon.milliseconds))]) == [coins])
        let errors: [(String, String, Int64)] = [
            ("startDate", "x", 4_000_015), ("endDate", "-1", 4_000_016), ("sort", "UP", 4_000_021), ("productType", "X", 4_000_022),
            ("productId", "", 4_000_023), ("subscriptionGroupIdentifier", "", 4_000_024), ("inAppOwnershipType", "X", 4_000_026),
            ("revoked", "x", 4_000_030), ("revision", "x", 4_000_005),
        ]
        for (name, value, code) in errors {
            #expect(store.call("GET", "/inApps/v2/history/\(coins)", query: [(name, value)]).errorCode == code, "\(name)")
        }
    }

    @Test func statusesFollowTheSubscription() throws {
        var store = TestStore()
        let buyer = store.customer()
        let original = try store.buy(.proMonthly, by: buyer)
        func status(at instant: Timestamp, _ query: [(String, String)] = []) -> JSONValue? {
            var store = store
            store.now = instant
            let reply = store.call("GET", "/inApps/v1/subscriptions/\(original)", query: query)
            guard case .array(let data)? = reply.json["data"], case .array(let items)? = data.first?.object?["lastTransactions"] else {
                return nil
            }
            return items.first?.object?["status"]
        }
        #expect(status(at: noon) == 1)
        #expect(status(at: noon, [("status", "1")]) == 1)
        #expect(status(at: noon, [("status", "2"), ("status", "3")]) == nil)
        #expect(status(at: noon + .days(40)) == 2)
        try store.environment.world.failRenewal(original, at: noon + .days(30))
        #expect(status(at: noon + .days(31)) == 4)
        #expect(status(at: noon + .days(60)) == 3)
        try store.environment.world.recover(original, at: noon + .days(61))
        #expect(status(at: noon + .days(62)) == 1)
        let newest = try store.environment.world.newestTransaction(of: original).transactionId
        try store.environment.world.refund(newest, at: noon + .days(63))
        #expect(status(at: noon + .days(64)) == 5)
        #expect(store.call("GET", "/inApps/v1/subscriptions/\(original)", query: [("status", "6")]).errorCode == 4_000_031)
        #expect(store.call("GET", "/inApps/v1/subscriptions/77").errorCode == 4_040_010)
    }

    @Test func ordersAndAppTransactions() throws {
        var store = TestStore()
        let id = try store.buy(.coins100)
        let order = try store.environment.world.purchase(id).orderID
        let found = store.call("GET", "/inApps/v1/lookup/\(order)")
        #expect(found.json["status"] == 0)
        #expect(found.items("signedTransactions").count == 1)
        #expect(store.call("GET", "/inApps/v1/lookup/NONE").json == ["status": 1, "signedTransactions": []])
        let app = store.call("GET", "/inApps/v1/transactions/appTransactions/\(id)")
        let payload = app.json["signedAppTransactionInfo"]?.string.flatMap(decodedPayload)
        #expect(payload?["bundleId"] == "com.example.acme")
        #expect(payload?["appAppleId"] == 1_234_567_890)
        #expect(store.call("GET", "/inApps/v1/transactions/appTransactions/77").errorCode == 4_040_019)
        var sandbox = TestStore(.sandbox)
        #expect(sandbox.call("GET", "/inApps/v1/lookup/\(order)").status == 404)
    }

    @Test func unknownPathsAndMethods() {
        var store = TestStore()
        #expect(store.call("GET", "/inApps/v9/x/y").status == 404)
        #expect(store.call("POST", "/inApps/v1/lookup/x").status == 404)
        #expect(store.call("GET", "/").status == 404)
    }
}
