import Domain
import Testing

@testable import AppStoreSimulator

struct NotificationAPITests {
    static let path = "/inApps/v1/notifications/history"
    static func body(_ more: String = "", start: Int64 = noon.milliseconds - day, end: Int64 = noon.milliseconds + day) -> String {
        "{\"startDate\":\(start),\"endDate\":\(end)\(more.isEmpty ? "" : "," + more)}"
    }

    @Test func pagesOfTwentyForTheIdenticalBody() throws {
        var store = TestStore()
        let buyer = store.customer()
        for _ in 0..<45 { _ = try store.buy(.coins100, by: buyer) }
        store.now = noon + .minutes(1)
        let sent = store.environment.world.takeNotifications()
        for notification in sent { store.environment.add(notification) }
        var uuids: [String] = []
        var counts: [Int] = []
        var token: String?
        repeat {
            let reply = store.call("POST", Self.path, query: token.map { [("paginationToken", $0)] } ?? [], body: Self.body())
            guard case .array(let items)? = reply.json["notificationHistory"] else { break }
            counts.append(items.count)
            uuids += items.compactMap { $0.object?["signedPayload"]?.string.flatMap(decodedPayload)?["notificationUUID"]?.string }
            #expect((reply.json["hasMore"] == true) == (reply.json["paginationToken"] != nil))
            token = reply.json["paginationToken"]?.string
            if let token { #expect(token.contains("+") && token.contains("/")) }
        } while token != nil
        #expect(counts == [20, 20, 5])
        #expect(uuids == sent.map(\.notificationUUID))
    }

    @Test func aTokenIsBoundToItsBodyAndADay() throws {
        var store = TestStore()
        let buyer = store.customer()
        for _ in 0..<21 { _ = try store.buy(.coins100, by: buyer) }
        store.deliverAll()
        store.now = noon + .minutes(1)
        let token = try #require(store.call("POST", Self.path, body: Self.body()).json["paginationToken"]?.string)
        func code(_ token: String, _ body: String, at now: Timestamp = noon + .minutes(2)) -> Int64? {
            var store = store
            store.now = now
            return store.call("POST", Self.path, query: [("paginationToken", token)], body: body).errorCode
        }
        #expect(code(token, Self.body()) == nil)
        #expect(code(token, Self.body("\"onlyFailures\":false")) == 4_000_017)
        #expect(code(token.replacing("+", with: " "), Self.body()) == 4_000_014)
        #expect(code("", Self.body()) == 4_000_014)
        #expect(code(token, Self.body(), at: noon + .hours(25)) == 4_000_017)
    }

    @Test func filters() throws {
        var store = TestStore()
        let (one, other) = (store.customer(), store.customer())
        let coins = try store.buy(.coins100, by: one)
        let year = try store.buy(.proYearly, by: other)
        store.deliverAll()
        try store.environment.world.refund(coins, at: noon)
        store.deliverAll(failed: true)
        store.now = noon + .minutes(1)
        func types(_ more: String) -> [String] {
            var store = store
            let reply = store.call("POST", Self.path, body: Self.body(more))
            guard case .array(let items)? = reply.json["notificationHistory"] else { return ["\(reply.status)"] }
            return items.compactMap { $0.object?["signedPayload"]?.string.flatMap(decodedPayload)?["notificationType"]?.string }
        }
        #expect(types("") == ["ONE_TIME_CHARGE", "SUBSCRIBED", "REFUND"])
        #expect(types(#""notificationType":"REFUND""#) == ["REFUND"])
        #expect(types(#""notificationType":"SUBSCRIBED","notificationSubtype":"INITIAL_BUY""#) == ["SUBSCRIBED"])
        #expect(types(#""notificationType":"SUBSCRIBED","notificationSubtype":"RESUBSCRIBE""#) == [])
        #expect(types("\"transactionId\":\"\(year)\"") == ["SUBSCRIBED"])
        #expect(types(#""onlyFailures":true"#) == ["REFUND"])
        #expect(types(#""onlyFailures":false"#).count == 3)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var body: String
        var code: Int64?
        var testDescription: String { body }
        init(_ body: String, _ code: Int64?) {
            self.body = body
            self.code = code
        }
    }
    static let rows: [Row] = [
        Row(body(start: noon.milliseconds - 181 * day), 4_000_012),
        Row(body(start: noon.milliseconds + 1, end: noon.milliseconds), 4_000_013),
        Row("{\"startDate\":null,\"endDate\":\(noon.milliseconds)}", 4_000_015),
        Row("{\"endDate\":\(noon.milliseconds)}", 4_000_015),
        Row("{\"startDate\":\(noon.milliseconds)}", 4_000_016),
        Row("{\"startDate\":\(noon.milliseconds),\"endDate\":\"x\"}", 4_000_016),
        Row(body(#""notificationType":"NOTHING""#), 4_000_018),
        Row(body(#""notificationType":"""#), 4_000_018),
        Row(body(#""notificationType":null"#), 4_000_018),
        Row(body(#""notificationSubtype":"UPGRADE""#), 4_000_018),
        Row(body(#""notificationType":"REFUND","notificationSubtype":"UPGRADE""#), 4_000_018),
        Row(body(#""notificationType":"REFUND","transactionId":"1""#), 4_000_019),
        Row(body(#""transactionId":"""#), 4_000_006),
        Row(body(#""transactionId":null"#), 4_000_006),
        Row(body(#""transactionId":"1""#), 4_040_010),
        Row(body(#""onlyFailures":null"#), 4_000_000),
        Row(body(#""unknown":1"#), nil),
        Row("", nil),
    ]

    @Test(arguments: rows) func errors(_ row: Row) {
        var store = TestStore()
        let reply = store.call("POST", Self.path, body: row.body)
        #expect(reply.errorCode == row.code)
        #expect(reply.status == (row.code ?? 4_000_000) / 10_000)
    }

    @Test func theSandboxRemembersThirtyDays() {
        var store = TestStore(.sandbox)
        #expect(store.call("POST", Self.path, body: Self.body(start: noon.milliseconds - 31 * day)).errorCode == 4_000_012)
        #expect(store.call("POST", Self.path, body: Self.body(start: noon.milliseconds - 29 * day)).status == 200)
    }

    @Test func testNotifications() throws {
        var store = TestStore()
        #expect(store.call("POST", "/inApps/v1/notifications/test").errorCode == 4_040_007)
        store.environment.notificationURLs["com.example.acme"] = "http://127.0.0.1:1/"
        let token = try #require(store.call("POST", "/inApps/v1/notifications/test").json["testNotificationToken"]?.string)
        let path = "/inApps/v1/notifications/test/"
        #expect(store.call("GET", path + token).errorCode == 4_040_008)
        #expect(store.call("GET", path + "nonsense").errorCode == 4_000_020)
        let uuid = try #require(store.environment.takeUnscheduled().first?.notificationUUID)
        _ = store.environment.record(SendAttempt(date: 1, result: "SUCCESS"), of: uuid)
        let status = store.call("GET", path + token)
        #expect(status.json["sendAttempts"] == [["attemptDate": 1, "sendAttemptResult": "SUCCESS"]])
        let payload = status.json["signedPayload"]?.string.flatMap(decodedPayload)
        #expect(payload?["notificationType"] == "TEST")
        #expect(payload?["data"]?.object?["signedTransactionInfo"] == nil)
        store.now = noon + .days(200)
        #expect(store.call("GET", path + token).errorCode == 4_040_008)
    }
}
