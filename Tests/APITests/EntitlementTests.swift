import AppStore
import Domain
import Testing

@testable import API

@Suite struct EntitlementTests {
    /// Every member, in its place: a running commitment and a pack of coins of which a part was refunded.
    @Test func writesEntitlementsExactly() async throws {
        let world = try await World()
        await world.notify("SUBSCRIBED", world.month(5, "1005"), renewal: world.renewal())
        await world.notify("ONE_TIME_CHARGE", world.coins("7", ["appTransactionId": "7041001", "quantity": 3]))
        world.clock.advance(.seconds(1))
        await world.notify(
            "REFUND",
            world.coins(
                "7",
                [
                    "appTransactionId": "7041001", "quantity": 3, "revocationDate": 1_789_999_000_000, "revocationType": "REFUND_PRORATED",
                    "revocationPercentage": 33_333,
                ]))
        let wanted = #"""
            {"asOf":1790000001000,
            "entitlements":[{"productId":"com.acme.pro.yearly","subscriptionGroupIdentifier":"21000001","originalTransactionId":"1001",
            "transactionId":"1005","active":true,"until":1792505600000,"state":"active","ownership":"PURCHASED","willRenew":true,
            "pendingProductId":null,
            "commitment":{"state":"running","billingPeriodNumber":5,"totalBillingPeriods":12,"expiresDate":1807193600000,"endsAfterTerm":false}}],
            "balances":[{"productId":"com.acme.coins100","purchased":300,"refunded":99,"net":201}]}
            """#
        let text = await world.get("/customers/7041001/entitlements").text
        #expect(text == wanted.replacing("\n", with: ""))
    }

    @Test func foreverIsNull() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1", ["type": "Non-Consumable", "productId": "com.acme.lifetime"]))
        let row = await world.get("/customers/1/entitlements")["entitlements.0"]
        #expect(row?["active"] == true && row?["until"] == .null && row?["commitment"] == .null)
    }

    @Test func answersForAnyInstantAndName() async throws {
        let world = try await World()
        await world.notify("SUBSCRIBED", world.month(1, "1001"))
        for ref in ["7041001", "1001", "7E3FB20B-4CDB-47CC-936D-99D65F608138"] {
            #expect(await world.get("/customers/\(ref)/entitlements")["entitlements.0.active"] == true)
        }
        let later = await world.get("/customers/1001/entitlements?at=1792505600000")
        #expect(later["asOf"] == 1_792_505_600_000 && later["entitlements.0.active"] == false && later["entitlements.0.state"] == "expired")
        #expect(await world.get("/customers/1001/entitlements?environment=Sandbox").code == "not-found")
        #expect(await world.get("/customers/unseen/entitlements").code == "not-found")
        for at in ["now", "-1", "1.5", "999999999999999999999", ""] {
            #expect(await world.get("/customers/1001/entitlements?at=\(at)")["field"] == "at")
        }
    }

    @Test func deliveryWaitsForItsTransaction() async throws {
        let world = try await World()
        #expect(
            await world.put("/transactions/1/delivery", #"{"status":"UNDELIVERED_OTHER"}"#).text
                == #"{"transactionId":"1","status":"UNDELIVERED_OTHER","at":1790000000000}"#)
        let reply = await world.put("/transactions/1/delivery", #"{"status":"LOST"}"#)
        #expect(reply.status == 422 && reply["field"] == "status" && reply["detail"]?.text?.contains("UNDELIVERED_QUALITY_ISSUE") == true)
        await world.consent("7041")
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        try await world.performAnswer("1", httpStatus: 202, .accepted)
        #expect(await world.get("/cases/1")["rounds.0.answer.body.deliveryStatus"] == "UNDELIVERED_OTHER")
    }
}
