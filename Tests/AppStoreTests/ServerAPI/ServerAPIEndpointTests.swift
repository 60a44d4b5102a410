import AppStore
import Domain
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServerAPIEndpointTests {
    // MARK: Purchases

    @Test func transactionInfo() async throws {
        let store = ScriptedAppStore([.json(#"{"signedTransactionInfo": "a.b.c"}"#)])
        #expect(try await store.api.getTransactionInfo(TransactionID("123")).signedTransactionInfo == "a.b.c")
        let call = try #require(store.calls.first)
        #expect(call.method == "GET")
        #expect(call.path == "/inApps/v1/transactions/123")
        #expect(call.headers["content-type"] == nil)
        #expect(BearerToken(call)?.isSigned == true)
    }

    @Test func transactionHistory() async throws {
        let page = #"{"revision": "r+1", "hasMore": true, "environment": "LocalTesting", "signedTransactions": ["a", "b"]}"#
        let store = ScriptedAppStore([.json(page), .json(#"{"hasMore": false}"#)])
        var filter = TransactionHistoryFilter()
        filter.startDate = Timestamp(milliseconds: 5)
        filter.productIDs = [ProductID("com.example.a"), ProductID("com.example.b")]
        filter.productTypes = ["CONSUMABLE"]
        filter.isRevoked = true
        filter.sort = .descending
        let first = try await store.api.getTransactionHistory(anyTransactionID: "1", filter: filter)
        #expect(first.signedTransactions == ["a", "b"] && first.hasMore == true)
        #expect(first.rawEnvironment == "LocalTesting")
        let second = try await store.api.getTransactionHistory(anyTransactionID: "1", filter: filter, revision: first.revision)
        #expect(second.signedTransactions == nil && second.hasMore == false)
        let query = "startDate=5&productId=com.example.a&productId=com.example.b&productType=CONSUMABLE&revoked=true&sort=DESCENDING"
        #expect(store.calls.map(\.path) == ["/inApps/v2/history/1?\(query)", "/inApps/v2/history/1?revision=r%2B1&\(query)"])
    }

    @Test func refundHistoryGoesOnWhereItEnded() async throws {
        let store = ScriptedAppStore([
            .json(#"{"signedTransactions": ["a"], "revision": "20", "hasMore": true}"#),
            .json(#"{"signedTransactions": ["b"], "revision": "21", "hasMore": false}"#),
        ])
        let first = try await store.api.getRefundHistory(anyTransactionID: "77")
        let second = try await store.api.getRefundHistory(anyTransactionID: "77", revision: first.revision)
        #expect(first.signedTransactions == ["a"] && second.signedTransactions == ["b"])
        #expect(second.revision == "21" && second.hasMore == false)
        #expect(store.calls.map(\.path) == ["/inApps/v2/refund/lookup/77", "/inApps/v2/refund/lookup/77?revision=20"])
    }

    @Test func subscriptionStatuses() async throws {
        let store = ScriptedAppStore([
            .json(
                #"{"environment": "Odd", "bundleId": "com.example", "appAppleId": 5, "data": [{"subscriptionGroupIdentifier": "g","#
                    + #""lastTransactions": [{"status": 5, "originalTransactionId": "9", "signedTransactionInfo": "t", "signedRenewalInfo": "r"}]}]}"#
            )
        ])
        let statuses = try await store.api.getAllSubscriptionStatuses(anyTransactionID: "9", statuses: [.active, .billingGracePeriod])
        let item = try #require(statuses.data?.first?.lastTransactions?.first)
        #expect(item.status == .revoked && item.signedTransactionInfo == "t" && item.signedRenewalInfo == "r")
        #expect(statuses.signedRows == [SignedStatus(signedTransactionInfo: "t", signedRenewalInfo: "r")])
        #expect(store.calls.first?.path == "/inApps/v1/subscriptions/9?status=1&status=4")
    }

    @Test func orderAndAppTransaction() async throws {
        let store = ScriptedAppStore([.json(#"{"status": 1}"#), .json(#"{"signedAppTransactionInfo": "s"}"#)])
        let order = try await store.api.lookUpOrderID("MK 5")
        #expect(order.status == 1 && order.signedTransactions == nil)
        #expect(try await store.api.getAppTransactionInfo(anyTransactionID: "9").signedAppTransactionInfo == "s")
        #expect(store.calls.map(\.path) == ["/inApps/v1/lookup/MK%205", "/inApps/v1/transactions/appTransactions/9"])
    }

    // MARK: Notifications

    @Test func notificationHistoryRepeatsItsBytes() async throws {
        let page =
            #"{"notificationHistory": [{"signedPayload": "p", "sendAttempts": [{"attemptDate": 7, "sendAttemptResult": "NEW_RESULT"}]}],"#
        let store = ScriptedAppStore([
            .json(page + #""hasMore": true, "paginationToken": "a+b/c=="}"#), .json(page + #""hasMore": false, "paginationToken": "x"}"#),
        ])
        let request = NotificationHistoryRequest(
            from: Timestamp(milliseconds: 1), to: Timestamp(milliseconds: 2), filter: .notificationType("REFUND"), onlyFailures: true)
        let first = try await store.api.getNotificationHistory(request)
        let attempt = try #require(first.notificationHistory?.first?.sendAttempts?.first)
        #expect(attempt.attemptDate == 7 && attempt.rawSendAttemptResult == "NEW_RESULT" && attempt.sendAttemptResult == nil)
        let second = try await store.api.getNotificationHistory(request, paginationToken: first.paginationToken)
        #expect(second.hasMore == false)
        #expect(
            store.calls.map(\.path) == [
                "/inApps/v1/notifications/history", "/inApps/v1/notifications/history?paginationToken=a%2Bb%2Fc%3D%3D",
            ])
        #expect(store.calls[0].body == store.calls[1].body)
        #expect(store.calls.allSatisfy { $0.method == "POST" && $0.headers["content-type"] == "application/json" })
    }

    @Test(
        arguments: [
            (nil, false, #"{"endDate":2,"startDate":1}"#),
            (.transactionID(TransactionID("12")), false, #"{"endDate":2,"startDate":1,"transactionId":"12"}"#),
            (.notificationType("REFUND"), true, #"{"endDate":2,"notificationType":"REFUND","onlyFailures":true,"startDate":1}"#),
            (
                .notificationType("SUBSCRIBED", subtype: "INITIAL_BUY"), false,
                #"{"endDate":2,"notificationSubtype":"INITIAL_BUY","notificationType":"SUBSCRIBED","startDate":1}"#
            ),
        ] as [(NotificationHistoryRequest.Filter?, Bool, String)])
    func onlyKeysThatAreSet(_ filter: NotificationHistoryRequest.Filter?, _ onlyFailures: Bool, _ json: String) {
        let request = NotificationHistoryRequest(
            from: Timestamp(milliseconds: 1), to: Timestamp(milliseconds: 2), filter: filter, onlyFailures: onlyFailures)
        #expect(String(decoding: request.body, as: UTF8.self) == json)
    }

    @Test func testNotification() async throws {
        let store = ScriptedAppStore([
            .json(#"{"testNotificationToken": "t/1"}"#), .error(4_040_008), .json(#"{"signedPayload": "p", "sendAttempts": []}"#),
        ])
        let token = try #require(await store.api.requestTestNotification().testNotificationToken)
        let early = try #require(
            await store.failure { () throws(AppStoreServerAPIError) in try await store.api.getTestNotificationStatus(token) })
        #expect(early.status == 404 && early.code == 4_040_008)
        #expect(try await store.api.getTestNotificationStatus(token).signedPayload == "p")
        #expect(store.calls.map(\.path).last == "/inApps/v1/notifications/test/t%2F1")
        #expect(store.calls[0].method == "POST" && store.calls[0].headers["content-length"] == "0")
    }

    // MARK: Errors

    @Test func aRefusedTokenIsRenewedOnce() async throws {
        let store = ScriptedAppStore([
            .response(401), .json(#"{"signedTransactionInfo": "a"}"#), .response(401), .response(401), .response(200),
        ])
        #expect(try await store.api.getTransactionInfo(TransactionID("1")).signedTransactionInfo == "a")
        let error = try #require(
            await store.failure { () throws(AppStoreServerAPIError) in try await store.api.getTransactionInfo(TransactionID("1")) })
        #expect(error.status == 401 && !error.isRetryable)
        #expect(error.explanation.contains("not authorised (key, or app not released)"))
        #expect(store.calls.count == 4)
        #expect(store.calls[0].headers["authorization"] != store.calls[1].headers["authorization"])
    }

    @Test(arguments: [
        (RawServer.Reply.error(4_040_006), true), (.error(5_000_000), true), (.error(5_000_001), true), (.error(4_290_000), true),
        (.hangUp, true), (.response(503), true), (.error(4_000_006), false), (.error(4_040_010), false), (.error(4_990_000), false),
        (.json("[]"), false), (.json(#"{"signedTransactionInfo": 5}"#), false), (.response(200), false),
        (.response(200, [:], [0xFF, 0x00]), false),
    ])
    func errors(_ reply: RawServer.Reply, _ isRetryable: Bool) async throws {
        // A GET whose kept connection closed would be repeated; here the connection is new.
        let store = ScriptedAppStore([reply])
        let error = try #require(
            await store.failure { () throws(AppStoreServerAPIError) in try await store.api.getTransactionInfo(TransactionID("1")) })
        #expect(error.isRetryable == isRetryable)
        #expect(!error.explanation.isEmpty)
    }

    @Test(.enabled(if: SharedFiles.isPresent, "the shared folder is missing: set REFUND_DESK_SHARED"))
    func appleModels() async throws {
        func reply(_ name: String) throws -> RawServer.Reply {
            .response(200, [:], Array(try Data(contentsOf: SharedFiles.folder.appending(path: "vectors/apple/models/\(name).json"))))
        }
        let store = ScriptedAppStore([
            try reply("getRefundHistoryResponse"), try reply("transactionHistoryResponseWithMalformedEnvironment"),
            try reply("getAllSubscriptionStatusesResponse"), try reply("getNotificationHistoryResponse"),
            try reply("lookupOrderIdResponse"),
            try reply("getTestNotificationStatusResponse"), try reply("requestTestNotificationResponse"),
        ])
        #expect(try await store.api.getRefundHistory(anyTransactionID: "1").revision == "revision_output")
        #expect(try await store.api.getTransactionHistory(anyTransactionID: "1").hasMore == true)
        #expect(try await store.api.getAllSubscriptionStatuses(anyTransactionID: "1").data?.count == 2)
        let request = NotificationHistoryRequest(from: Timestamp(milliseconds: 1), to: Timestamp(milliseconds: 2))
        #expect(try await store.api.getNotificationHistory(request).notificationHistory?.count == 2)
        #expect(try await store.api.lookUpOrderID("W002182").signedTransactions?.count == 2)
        #expect(try await store.api.getTestNotificationStatus("t").sendAttempts?.count == 2)
        #expect(try await store.api.requestTestNotification().testNotificationToken == "ce3af791-365e-4c60-841b-1674b43c1609")
    }
}
