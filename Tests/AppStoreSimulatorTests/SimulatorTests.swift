import Domain
import HTTPClient
import Testing

@testable import AppStoreSimulator

struct SimulatorTests {
    /// A simulator and a desk, both running, on a virtual clock.
    private func withSimulator(
        _ change: (inout AppStoreSimulator.Configuration) -> Void = { _ in }, desk statuses: [Int] = [],
        _ body: (AppStoreSimulator, FakeDesk, VirtualTime) async throws -> Void
    ) async throws {
        let desk = try FakeDesk(statuses: statuses)
        let time = VirtualTime()
        var configuration = AppStoreSimulator.Configuration()
        configuration.notificationURLs = ["com.example.acme": desk.url]
        change(&configuration)
        let simulator = try AppStoreSimulator(identity: testIdentity, configuration: configuration, time: time)
        let running = [Task { await desk.run() }, Task { await simulator.run() }]
        defer { running.forEach { $0.cancel() } }
        try await body(simulator, desk, time)
    }

    private func buy(_ product: SampleProduct, at host: EnvironmentHost) throws -> String {
        try host.happen { world, now throws(SimulatorError) in
            try world.buy("com.example." + product.rawValue, by: world.newCustomer(of: "com.example.acme", at: now), at: now)
        }
    }

    private let client = HTTPClient(userAgent: "test")

    private func call(
        _ method: String, _ url: String, _ body: String? = nil, at now: Timestamp = noon, timeout: Duration = .seconds(10)
    ) async throws(HTTPClientError) -> HTTPClientResponse {
        try await client.send(
            HTTPClientRequest(
                method: method, url: url, headers: [("Authorization", TestToken(at: now).authorization)], body: body.map { Array($0.utf8) },
                timeout: timeout, allowsPrivateTargets: true))
    }

    /// Waits until the clock's sleepers include an alarm at an instant.
    private func alarm(_ time: VirtualTime, at instant: Timestamp) async {
        while !time.alarms.contains(instant) { await Task.yield() }
    }

    @Test func aRequestIsAskedAnsweredAndDecided() async throws {
        try await withSimulator { simulator, desk, time in
            var arrivals = desk.arrivals.makeAsyncIterator()
            let id = try buy(.coins100, at: simulator.production)
            #expect(await arrivals.next()?.type == "ONE_TIME_CHARGE")
            try simulator.production.requestRefund(of: id, .unintendedPurchase)
            let request = try #require(await arrivals.next())
            #expect(request.type == "CONSUMPTION_REQUEST")
            #expect(request.data["consumptionRequestReason"] == "UNINTENDED_PURCHASE")
            let body =
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"consumptionPercentage":25000,"refundPreference":"GRANT_PRORATED"}"#
            let reply = try await call("PUT", simulator.productionURL + "/inApps/v2/transactions/consumption/\(id)", body)
            #expect(reply.status == 202 && reply.body.isEmpty)
            #expect(simulator.production.receipts(for: id).map(\.consumptionPercentage) == [25_000])
            await alarm(time, at: noon + .seconds(1))
            time.advance(by: .seconds(1))
            let refund = try #require(await arrivals.next())
            #expect(refund.type == "REFUND")
            #expect(refund.transaction["revocationPercentage"] == 75_000)
            #expect(refund.transaction["revocationType"] == "REFUND_PRORATED")
        }
    }

    @Test func anUnansweredRequestIsDecidedAtTheEndOfTheWindow() async throws {
        try await withSimulator { simulator, desk, time in
            var arrivals = desk.arrivals.makeAsyncIterator()
            let id = try buy(.coins100, at: simulator.sandbox)
            try simulator.sandbox.requestRefund(of: id, .other, text: "DECLINE")
            #expect(await arrivals.next() != nil)
            #expect(await arrivals.next() != nil)
            await alarm(time, at: noon + .minutes(5))
            time.advance(by: .minutes(5))
            #expect(await arrivals.next()?.type == "REFUND_DECLINED")
        }
    }

    /// At 1, 13, 37, 85 and 157 hours after the first attempt.
    @Test func productionTriesSixTimes() async throws {
        try await withSimulator(desk: [500, 503, 404, 302, 500, 500]) { simulator, desk, time in
            var arrivals = desk.arrivals.makeAsyncIterator()
            _ = try buy(.coins100, at: simulator.production)
            var first: FakeDesk.Post?
            for hours in [Int64(1), 12, 24, 48, 72] {
                let post = try #require(await arrivals.next())
                first = first ?? post
                #expect(post.uuid == first?.uuid)
                await alarm(time, at: time.now() + .hours(hours))
                time.advance(by: .hours(hours))
            }
            #expect(await arrivals.next()?.uuid == first?.uuid)
            #expect(time.now() == noon + .hours(157))
            let body = NotificationAPITests.body(#""onlyFailures":true"#)
            let reply = try await call("POST", simulator.productionURL + NotificationAPITests.path, body, at: time.now())
            let attempts = await settled {
                sendAttempts(simulator, uuid: first?.uuid ?? "")
            } until: {
                $0.count == 6
            }
            #expect(attempts.allSatisfy { $0.result == "UNSUCCESSFUL_HTTP_RESPONSE_CODE" })
            #expect(reply.status == 200)
        }
    }

    @Test func theSandboxTriesOnce() async throws {
        try await withSimulator(desk: [500]) { simulator, desk, time in
            var arrivals = desk.arrivals.makeAsyncIterator()
            _ = try buy(.coins100, at: simulator.sandbox)
            let uuid = try #require(await arrivals.next()).uuid
            _ = await settled {
                sendAttempts(simulator, uuid: uuid, .sandbox)
            } until: {
                $0.count == 1
            }
            #expect(time.alarms.isEmpty)
        }
    }

    private func sendAttempts(_ simulator: AppStoreSimulator, uuid: String, _ environment: Environment = .production) -> [SendAttempt] {
        simulator[environment].state.withLock { $0[uuid]?.attempts ?? [] }
    }

    private func settled<Value>(_ read: () -> Value, until isThere: (Value) -> Bool) async -> Value {
        while true {
            let value = read()
            if isThere(value) { return value }
            await Task.yield()
        }
    }

    @Test func aTestNotificationIsSent() async throws {
        try await withSimulator { simulator, desk, _ in
            var arrivals = desk.arrivals.makeAsyncIterator()
            let reply = try await call("POST", simulator.productionURL + "/inApps/v1/notifications/test")
            #expect(reply.status == 200)
            #expect(await arrivals.next()?.type == "TEST")
        }
    }

    // MARK: Faults

    @Test func callsFailAsTold() async throws {
        try await withSimulator { simulator, _, time in
            let id = try buy(.coins100, at: simulator.production)
            let url = simulator.productionURL + "/inApps/v1/transactions/\(id)"
            simulator.production.add(Fault(.tooManyRequests, milliseconds: 90_000, remaining: 1))
            let limited = try await call("GET", url)
            #expect(limited.status == 429)
            #expect(limited.header("Retry-After") == String((noon + .seconds(90)).milliseconds))
            #expect(JSONValue(limited.body)?.object?["errorCode"] == 4_290_000)
            simulator.production.add(Fault(.serverError, status: 502, remaining: 2, path: "transactions"))
            #expect(try await call("GET", url).status == 502)
            #expect(try await call("GET", simulator.productionURL + "/inApps/v1/lookup/x").status == 200)
            #expect(try await call("GET", url).status == 502)
            #expect(try await call("GET", url).status == 200)
            simulator.production.add(Fault(.slow, milliseconds: 5_000, remaining: 1))
            async let slow = call("GET", url)
            await alarm(time, at: noon + .seconds(5))
            time.advance(by: .seconds(5))
            #expect(try await slow.status == 200)
        }
    }

    @Test func aLostReplyTookEffect() async throws {
        try await withSimulator { simulator, _, _ in
            let id = try buy(.coins100, at: simulator.production)
            let url = simulator.productionURL + "/inApps/v2/transactions/consumption/\(id)"
            let body = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true}"#
            simulator.production.add(Fault(.loseReply, remaining: 1))
            let error = await #expect(throws: HTTPClientError.self) { try await call("PUT", url, body) }
            #expect(error?.code == .interrupted)
            #expect(error?.isInDoubt == true)
            #expect(simulator.production.receipts(for: id).count == 1)
            #expect(try await call("PUT", url, body).status == 202)
        }
    }

    @Test func connectionsAreRefusedForAWhile() async throws {
        try await withSimulator { simulator, _, time in
            let id = try buy(.coins100, at: simulator.production)
            let url = simulator.productionURL + "/inApps/v1/transactions/\(id)"
            #expect(try await call("GET", url).status == 200)
            simulator.production.refuseConnections(for: .seconds(60))
            await alarm(time, at: noon + .seconds(60))
            var code: HTTPClientError.Code?
            while code != .notSent {  // A call under way may still be cut instead.
                do throws(HTTPClientError) { _ = try await call("GET", url) } catch { code = error.code }
            }
            #expect(try await call("GET", simulator.sandboxURL + "/inApps/v1/transactions/\(id)").status == 404)
            time.advance(by: .seconds(60))
            var status: Int?
            while status == nil { status = try? await call("GET", url, at: time.now()).status }
            #expect(status == 200)
        }
    }

    @Test func deliveriesRepeatAndShuffle() async throws {
        try await withSimulator { simulator, desk, time in
            var arrivals = desk.arrivals.makeAsyncIterator()
            simulator.production.set(DeliveryFaults(duplicates: true))
            _ = try buy(.coins100, at: simulator.production)
            let (one, two) = (await arrivals.next(), await arrivals.next())
            #expect(one?.uuid == two?.uuid)
            simulator.production.set(DeliveryFaults(shuffleMilliseconds: 60_000))
            let ids = try (0..<20).map { _ in try buy(.coins100, at: simulator.production) }
            _ = await settled {
                time.alarms
            } until: {
                $0.count == 20
            }
            for _ in 0..<60 {
                time.advance(by: .seconds(1))
                try await Task.sleep(for: .milliseconds(2))
            }
            var arrived: [String] = []
            for _ in ids { arrived.append(await arrivals.next()?.transaction["transactionId"]?.string ?? "") }
            #expect(Set(arrived) == Set(ids))
            #expect(arrived != ids)
        }
    }

    // MARK: Control

    @Test func theControlAPIPlaysAStory() async throws {
        try await withSimulator { simulator, desk, _ in
            var arrivals = desk.arrivals.makeAsyncIterator()
            let control = simulator.productionURL + "/control"
            let bought = try await call(
                "POST", control + "/purchases", #"{"bundleId":"com.example.acme","productId":"com.example.pro.yearly","isCommitment":true}"#
            )
            #expect(bought.status == 201)
            let id = try #require(JSONValue(bought.body)?.object?["transactionId"]?.string)
            #expect(try await call("POST", control + "/renewals", "{\"transactionId\":\"\(id)\"}").status == 201)
            #expect(
                try await call("POST", control + "/refund-requests", "{\"transactionId\":\"\(id)\",\"reason\":\"LEGAL\"}").status == 204)
            #expect(try await call("POST", control + "/repeat-requests", "{\"transactionId\":\"\(id)\"}").status == 204)
            var types: [String] = []
            for _ in 0..<4 { types.append(await arrivals.next()?.type ?? "") }
            #expect(types.sorted() == ["CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST", "DID_RENEW", "SUBSCRIBED"])
            #expect(try await call("POST", control + "/faults", #"{"kind":"serverError","remaining":1}"#).status == 204)
            #expect(try await call("GET", simulator.productionURL + "/inApps/v1/transactions/\(id)").status == 503)
            let answers = try await call("GET", control + "/answers/\(id)")
            #expect(JSONValue(answers.body)?.object?["answers"] == [])
            let wrong = try await call("POST", control + "/refund-requests", #"{"transactionId":"1"}"#)
            #expect(wrong.status == 422)
            #expect(try await call("GET", control + "/nothing").status == 404)
        }
    }

    @Test func aHistoryIsTakenOver() async throws {
        try await withSimulator { simulator, _, time in
            let history = try DemoWorld(seed: 5).history(endingAt: noon, customers: 25)
            simulator.adopt(history)
            let refunded = try #require(history.notifications.last { $0.notificationType == "REFUND" && $0.bundleID == "com.example.acme" })
            let id = try #require(refunded.transaction?.transactionId)
            let reply = try await call("GET", simulator.productionURL + "/inApps/v2/refund/lookup/\(id)")
            #expect(reply.status == 200)
            var traffic = DemoTraffic(simulator, time: time, seed: 1)
            for _ in 0..<60 { traffic.step() }
            let requests = simulator.production.state.withLock { $0.requests.values.flatMap { $0 }.filter { $0.requestedAt == noon }.count }
            #expect(requests > 5)
        }
    }
}
