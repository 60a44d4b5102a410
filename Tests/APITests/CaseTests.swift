import AppStore
import Domain
import Ingest
import Store
import Testing

@testable import API

@Suite struct CaseTests {
    /// Every member, in its place: a refunded month of a commitment that was asked about and answered.
    @Test func writesACaseExactly() async throws {
        let world = try await World()
        let month = world.month(5, "1005")
        await world.notify("SUBSCRIBED", month, renewal: world.renewal())
        await world.consent("7041001")
        _ = await world.put("/transactions/1001/user", #"{"userId":"u-42"}"#)
        await world.notify("CONSUMPTION_REQUEST", month, uuid: "u-1", data: ["consumptionRequestReason": "UNINTENDED_PURCHASE"])
        try await world.performAnswer("1005", httpStatus: 503, .notTaken(notBefore: nil), errorCode: 5_000_001, error: "Apple says: busy.")
        world.clock.advance(.seconds(10))
        try await world.performAnswer("1005", httpStatus: 202, .accepted)
        world.clock.advance(.hours(1))
        let refunded = month.merging([
            "revocationDate": 1_790_003_000_000, "revocationReason": 0, "revocationType": "REFUND_PRORATED",
            "revocationPercentage": 50_000, "signedDate": .integer(world.clock.now().milliseconds),
        ])
        await world.notify("REFUND", refunded, uuid: "u-2")
        let wanted = #"""
            {"transactionId":"1005","originalTransactionId":"1001","environment":"Production","productId":"com.acme.pro.yearly",
            "productType":"Auto-Renewable Subscription","purchaseDate":1789913600000,"expiresDate":1792505600000,
            "price":{"amount":6990,"currency":"USD"},"storefront":"USA",
            "customer":{"appTransactionId":"7041001","appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","userId":"u-42"},
            "state":"refunded",
            "period":{"isCurrent":true,"billingPlanType":"MONTHLY","billingPeriodNumber":5,"totalBillingPeriods":12,"commitmentExpiresDate":1807193600000},
            "rounds":[{"number":1,"requestedAt":1790000000000,"deadline":1790043200000,"reason":"UNINTENDED_PURCHASE","notificationUUIDs":["u-1"],
            "decision":{"kind":"answer","rule":"default","preference":null,"because":[],"holdUntil":null,"isCurrentPeriod":true,"consent":"given","warnings":[],"trace":[]},
            "answer":{"status":"accepted","body":{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true},"percentageSource":null,
            "attempts":[{"at":1790000000000,"httpStatus":503,"errorCode":5000001,"error":"Apple says: busy."},
            {"at":1790000010000,"httpStatus":202,"errorCode":null,"error":null}]},
            "outcome":{"kind":"refunded","at":1790003610000}}],
            "refund":{"type":"REFUND_PRORATED","percentage":50000,"revocationDate":1790003000000,"revocationReason":0,
            "amount":{"amount":3495,"currency":"USD"},"reversedAt":null}}
            """#
        let text = await world.get("/cases/1005").text
        #expect(text == wanted.replacing("\n", with: ""))
    }

    @Test func aRefundNobodyAskedAboutHasNoRounds() async throws {
        let world = try await World()
        await world.notify("REFUND", world.coins("1", ["revocationDate": 1_789_999_000_000]))
        let reply = await world.get("/cases/1")
        #expect(reply["state"] == "refunded" && reply["rounds"] == [])
        #expect(reply["refund.type"] == .null && reply["refund.percentage"] == .null && reply["refund.revocationReason"] == .null)
        #expect(reply["refund.amount.amount"] == 990)
        #expect(reply["refund.seats"] == nil)
    }

    @Test func aRefundOfSeatsTellsHowMany() async throws {
        let world = try await World()
        let seats = world.month(
            1, "1001", ["quantity": 5, "multiSeatInfo": ["invitationManagement": "DEVELOPER", "revokedSeatQuantity": 2]])
        await world.notify("REFUND", seats, more: ["subtype": "SEATS"])
        #expect(await world.get("/cases/1001")["refund.seats"] == 2)
    }

    @Test func anAbstentionHasNoAnswer() async throws {
        let world = try await World()
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        var round = await world.get("/cases/1")["rounds.0"]
        #expect(round?["decision.kind"] == "abstain" && round?["decision.because"] == ["no-consent"] && round?["answer"] == .null)
        await world.consent("7041")
        round = await world.get("/cases/1")["rounds.0"]
        #expect(round?["answer.status"] == "scheduled" && round?["answer.body"] == .null && round?["answer.attempts"] == [])
        await world.consent("7041", false)
        round = await world.get("/cases/1")["rounds.0"]
        #expect(round?["decision.because"] == ["consent-withdrawn"] && round?["answer"] == .null)
    }

    @Test func aWithdrawalKeepsTheTries() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        await world.consent("7041")
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        try await world.performAnswer("1", httpStatus: 503, .notTaken(notBefore: nil))
        await world.consent("7041", false)
        let round = await world.get("/cases/1")["rounds.0"]
        #expect(round?["decision.kind"] == "abstain" && round?["answer.status"] == "cancelled")
        #expect(round?["answer.attempts"]?.list.count == 1)
    }

    @Test func aPersonDecides() async throws {
        let world = try await World(app: .holding)
        for id in ["1", "2"] {
            await world.notify("ONE_TIME_CHARGE", world.coins(id))
            await world.consent("704" + id)
            await world.notify("CONSUMPTION_REQUEST", world.coins(id))
        }
        #expect(await world.get("/cases/1")["rounds.0.decision.holdUntil"] == 1_790_007_200_000)
        let answered = await world.post("/cases/1/answer", #"{"prefer":"DECLINE"}"#)
        #expect(answered["rounds.0.decision.rule"] == "person" && answered["rounds.0.decision.preference"] == "DECLINE")
        #expect(await world.post("/cases/2/answer", #"{"prefer":null}"#)["rounds.0.decision.preference"] == .null)
        #expect(await world.post("/cases/2/abstain")["rounds.0.decision.kind"] == "abstain")
        try await world.performAnswer("1", httpStatus: 202, .accepted)
        #expect(await world.post("/cases/1/abstain").code == "already-answered")
        world.clock.advance(.hours(12))
        #expect(await world.post("/cases/2/answer", #"{"prefer":"DECLINE"}"#).code == "window-closed")
    }

    @Test func refusesAPersonsIllegalWish() async throws {
        let world = try await World()
        let request = { (id: String, changes: [String: JSONValue]) in
            await world.notify("CONSUMPTION_REQUEST", world.coins(id, changes))
            return await world.post("/cases/\(id)/answer", #"{"prefer":"GRANT_PRORATED"}"#)
        }
        #expect(await request("1", [:]).code == "no-consent")
        for id in 2...4 { await world.consent("704\(id)") }
        #expect(await request("2", [:]).code == "illegal-preference")
        #expect(await request("3", ["productId": "com.acme.unstated"])["field"] == "delivery")
        let shared = await request("4", ["inAppOwnershipType": "FAMILY_SHARED"])
        #expect(shared.code == "unanswerable" && shared["detail"]?.text?.contains("family-shared") == true)
        #expect(await world.post("/cases/9/answer", #"{"prefer":"DECLINE"}"#).code == "not-found")
        #expect(await world.get("/cases/9").code == "not-found")
        for (body, field) in [("{}", "prefer"), (#"{"prefer":"REFUSE"}"#, "prefer"), (#"{"prefer":1}"#, "prefer")] {
            #expect(await world.post("/cases/2/answer", body)["field"]?.text == field)
        }
        #expect(await world.post("/cases/2/answer").code == "malformed")
    }

    @Test func listsByWhatIsAsked() async throws {
        let world = try await World()
        for id in 1...3 {
            world.clock.advance(.minutes(1))
            await world.notify("CONSUMPTION_REQUEST", world.coins("\(id)"), data: ["consumptionRequestReason": id == 3 ? "LEGAL" : "OTHER"])
        }
        await world.notify("REFUND_DECLINED", world.coins("2"))
        await world.notify("CONSUMPTION_REQUEST", world.coins("4", ["environment": "Sandbox"]))
        let ids = { (query: String) in await world.get("/cases?\(query)")["items"]?.list.map { $0["transactionId"]?.text } }
        #expect(await ids("") == ["3", "2", "1"])
        #expect(await ids("state=declined") == ["2"])
        #expect(await ids("customer=7041") == ["1"])
        #expect(await ids("customer=nobody") == [])
        #expect(await ids("reason=LEGAL") == ["3"])
        #expect(await ids("productId=com.acme.coins100&state=open") == ["3", "1"])
        #expect(await ids("productId=other") == [])
        #expect(await ids("environment=Sandbox") == ["4"])
        let first = await world.get("/cases?limit=2")
        #expect(await ids("limit=2&cursor=\(first["nextCursor"]?.text ?? "")") == ["1"])
        #expect(await world.get("/cases?state=closed")["field"] == "state")
        #expect(await world.get("/cases?environment=all")["field"] == "environment")
    }
}

extension AppSettings {
    /// Leaves every case to a person for two hours.
    fileprivate static let holding: AppSettings = {
        var app = AppSettings.acme
        app.policy = Policy(rules: [PolicyRule(name: "hold", outcome: PolicyOutcome(.dataOnly, after: .hours(2)))])
        return app
    }()
}

extension World {
    /// Does what the sender of answers does with one due answer, and what Apple said to it.
    func performAnswer(
        _ id: String, httpStatus: Int32, _ result: AnswerResult, errorCode: Int64? = nil, error: String? = nil
    ) async throws {
        let now = clock.now()
        let app = app
        let performed = try await store.write { tx throws(StoreError) -> Bool in
            let rows = try tx.claim(in: [OutboxRow.Lane(.answer)], limit: 100, at: now, leaseUntil: now + .minutes(1))
            guard let row = rows.first(where: { $0.subject == id }) else { return false }
            let desk = AnswerDesk(app: app, ledger: row.ledger, tx: tx, now: now)
            guard let order = try desk.prepare(row) else { return false }
            let attempt = AttemptRecord(
                transactionID: order.transactionID, anchor: order.anchor, at: now, httpStatus: httpStatus, errorCode: errorCode,
                error: error)
            try desk.record(attempt, result, of: order, row: row, jitter: 0)
            return true
        }
        #expect(performed, "no answer is due for \(id)")
    }
}
