import AppStore
import Domain
import Testing

@testable import API

@Suite struct NotificationTests {
    @Test func acceptsOnceAndKnowsARepeat() async throws {
        let world = try await World()
        #expect(await world.notify("ONE_TIME_CHARGE", world.coins("1"), uuid: "u-1").text == #"{"result":"accepted"}"#)
        #expect(await world.notify("ONE_TIME_CHARGE", world.coins("1"), uuid: "u-1", result: nil).text == #"{"result":"duplicate"}"#)
    }

    @Test func setsAsideWhatIsNotOurs() async throws {
        let world = try await World()
        let reply = await world.notify("TEST", nil, uuid: "u-1", data: ["bundleId": "com.other"], result: nil)
        #expect(reply.text == #"{"result":"quarantined","reason":"wrong-app"}"#)
        let list = await world.get("/notifications?result=quarantined")
        #expect(list["items.0.notificationUUID"] == "u-1" && list["items.0.reason"] == "wrong-app")
        #expect(await world.get("/notifications/u-1")["result"] == "quarantined")
        #expect(await world.get("/notifications?result=accepted")["items"] == [])
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"signedPayload":null}"#, #"{"signedPayload":7}"#, #"{"signedPayload":"a.b.c"}"#,
        #"{"signedPayload":"a.b.c.d"}"#,
    ])
    func refusesWhatIsNoMessage(_ body: String) async throws {
        let world = try await World()
        let reply = await world.send("POST", "/v1/apps/acme/notifications", body, token: nil)
        #expect(reply.status == 400 && reply.code == "malformed")
        #expect(reply.header("Content-Type") == "application/problem+json")
    }

    @Test(arguments: ["/notifications", "/usage", "/transactions"])
    func survivesDeepNesting(_ path: String) async throws {
        let world = try await World()
        let reply = await world.post(path, String(repeating: "[", count: 200_000))
        #expect(reply.status == 400 && reply.code == "malformed")
    }

    @Test func refusesAForgery() async throws {
        let world = try await World()
        let forged = Signer().sign(["notificationType": "TEST", "notificationUUID": "u-1", "signedDate": 1_790_000_000_000])
        let reply = await world.send("POST", "/v1/apps/acme/notifications", #"{"signedPayload":"\#(forged)"}"#, token: nil)
        #expect(reply.status == 400 && reply.code == "untrusted-chain")
        #expect(await world.get("/notifications")["items"] == [])
    }

    @Test func knowsOnlyConfiguredApps() async throws {
        let world = try await World()
        let reply = await world.send("POST", "/v1/apps/nobody/notifications", "{}", token: nil)
        #expect(reply.status == 404 && reply.code == "not-found")
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS"])
    func takesGetAndPostOnly(_ method: String) async throws {
        let world = try await World()
        let reply = await world.send(method, "/v1/apps/acme/notifications", token: nil)
        #expect(reply.status == 405 && reply.header("Allow") == "GET, POST")
    }

    @Test func showsWhatWasSignedWithoutLoss() async throws {
        let world = try await World()
        let transaction = world.coins("1", ["webOrderLineItemId": "é \"quoted\"", "price": 9_007_199_254_740_993])
        await world.notify("ONE_TIME_CHARGE", transaction, uuid: "u-1", data: ["bundleVersion": "\\\"1.2.3"])
        let entry = await world.get("/notifications/u-1")
        #expect(entry["decoded.notificationType"] == "ONE_TIME_CHARGE")
        #expect(entry["decoded.data.signedTransactionInfo"] == transaction)
        #expect(entry["decoded.data.bundleVersion"] == "\\\"1.2.3")
        #expect(entry.text.contains(#""price":9007199254740993"#))
        #expect(entry["signedPayload"]?.text?.split(separator: ".").count == 3)
    }

    @Test func listsNewestFirstByPages() async throws {
        let world = try await World()
        for id in 1...3 { await world.notify("ONE_TIME_CHARGE", world.coins("\(id)"), uuid: "u-\(id)") }
        await world.notify("ONE_TIME_CHARGE", world.coins("4", ["environment": "Sandbox"]), uuid: "u-4")
        let first = await world.get("/notifications?limit=2")
        #expect(first["items"]?.list.map { $0["notificationUUID"] } == ["u-3", "u-2"])
        let cursor = try #require(first["nextCursor"]?.text)
        let second = await world.get("/notifications?limit=2&cursor=\(cursor)")
        #expect(second["items"]?.list.map { $0["notificationUUID"] } == ["u-1"] && second["nextCursor"] == .null)
        #expect(await world.get("/notifications?environment=all")["items"]?.list.count == 4)
        #expect(await world.get("/notifications?type=TEST")["items"] == [])
    }

    @Test(arguments: ["limit=0", "limit=201", "limit=x", "limit=", "cursor=nonsense", "cursor=", "environment=Xcode", "result=x"])
    func refusesAQueryItCannotMean(_ query: String) async throws {
        let world = try await World()
        let reply = await world.get("/notifications?\(query)")
        #expect(reply.status == 422 && reply.code == "invalid")
        #expect(reply["field"]?.text == query.split(separator: "=").first.map(String.init))
    }

    @Test func showsNoOtherFactAsANotification() async throws {
        let world = try await World()
        let body = #"{"events":[{"id":"e1","customer":"c","meter":"coins","quantity":1,"at":1}]}"#
        #expect(await world.post("/usage", body).status == 202)
        #expect(await world.get("/notifications/usage:acme%2FProduction%2Fe1").status == 404)
        #expect(await world.get("/notifications/none").status == 404)
    }

    @Test func takesATransactionFromTheApp() async throws {
        let world = try await World()
        let jws = Signer.shared.sign(world.coins("1"))
        #expect(await world.post("/transactions", #"{"signedTransactionInfo":"\#(jws)"}"#)["result"] == "accepted")
        #expect(await world.post("/transactions", #"{"signedTransactionInfo":"\#(jws)"}"#)["result"] == "duplicate")
        let item = await world.get("/notifications")
        #expect(item["items.0.source"] == "client" && item["items.0.notificationUUID"] == .null && item["items.0.transactionId"] == "1")
        #expect(await world.post("/transactions", "{").code == "malformed")
        #expect(await world.post("/transactions", #"{"signedTransactionInfo":"x"}"#).code == "malformed")
    }
}
