import AppStore
import Domain
import Ingest
import Testing

@testable import API

/// What the owner's backend says of customers, and what is told of them.
@Suite struct CustomerTests {
    @Test func keepsConsentBeforeThePurchase() async throws {
        let world = try await World()
        let reply = await world.put("/customers/7041/consent", #"{"consented":true,"source":"in-app dialog","textVersion":"2026-10"}"#)
        let said = #"{"at":1790000000000,"consented":true,"source":"in-app dialog","textVersion":"2026-10","auditHash":""#
        #expect(reply.text.hasPrefix(said) && reply.text.utf8.count == said.utf8.count + 66)
        #expect(await world.get("/customers/7041").code == "not-found")
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        #expect(await world.get("/customers/7041")["consent"] == "given")
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        #expect(await world.get("/cases/1")["rounds.0.decision.kind"] == "answer")
    }

    @Test func tellsTheHistoryUnderAnyName() async throws {
        let world = try await World()
        let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        await world.consent(token)
        await world.notify("SUBSCRIBED", world.month(1, "1001"))
        await world.consent("7041001", false)
        for ref in [token, token.lowercased(), "7041001", "1001"] {
            let history = await world.get("/customers/\(ref)/consent")
            #expect(history["items"]?.list.map { $0["consented"] } == [true, false], "\(ref)")
        }
        #expect(await world.get("/customers/unseen/consent")["items"] == [])
        #expect(await world.get("/customers/7041001/consent?environment=Sandbox")["items"] == [])
        #expect(await world.get("/customers/7041001")["consent"] == "withdrawn")
    }

    @Test func aWithdrawalCountsWhereverItWasSaid() async throws {
        let world = try await World()
        _ = await world.put("/customers/7041/consent", #"{"consented":true,"source":"in-app dialog"}"#)
        #expect(await world.put("/customers/7041/consent", #"{"consented":false,"source":"ATT"}"#).status == 200)
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        #expect(await world.get("/customers/7041")["consent"] == "withdrawn")
    }

    @Test(arguments: ["App Tracking Transparency", "ATT", "a.t.t.", "from the AppTracking dialog"])
    func refusesAppleTracking(_ source: String) async throws {
        let world = try await World()
        let reply = await world.put("/customers/c/consent", #"{"consented":true,"source":"\#(source)"}"#)
        #expect(reply.status == 422 && reply.code == "consent-source")
        #expect(await world.get("/customers/c/consent")["items"] == [])
    }

    @Test(
        arguments: [
            ("{", 400, nil), ("", 400, nil), ("\u{FEFF}", 400, nil), ("[]", 422, nil), ("null", 422, nil), ("{}", 422, "consented"),
            (#"{"consented":"yes","source":"s"}"#, 422, "consented"), (#"{"consented":1,"source":"s"}"#, 422, "consented"),
            (#"{"consented":true}"#, 422, "source"), (#"{"consented":true,"source":null}"#, 422, "source"),
            (#"{"consented":true,"source":""}"#, 422, "source"), (#"{"consented":true,"source":"a\u0000b"}"#, 422, "source"),
            (#"{"consented":true,"source":"\#(String(repeating: "s", count: 201))"}"#, 422, "source"),
            (#"{"consented":true,"source":"s","textVersion":7}"#, 422, "textVersion"),
        ] as [(String, Int, String?)])
    func namesTheMistake(_ body: String, _ status: Int, _ field: String?) async throws {
        let world = try await World()
        let reply = await world.put("/customers/c/consent", body)
        #expect(reply.status == status && reply["field"]?.text == field)
        #expect(reply.code == (status == 400 ? "malformed" : "invalid"))
        #expect(await world.get("/customers/c/consent")["items"] == [])
    }

    @Test func boundsNames() async throws {
        let world = try await World()
        let body = #"{"consented":true,"source":"s"}"#
        #expect(await world.put("/customers/\(String(repeating: "c", count: 257))/consent", body)["field"] == "ref")
        #expect(await world.put("/customers/a%00b/consent", body)["field"] == "ref")
        #expect(await world.put("/customers/a%2Fb%20%C3%A9/consent", body).status == 200)
    }

    @Test func setsAPreferenceAndTakesItBack() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        await world.consent("7041")
        for (body, wanted) in [
            (#"{"prefer":"DECLINE"}"#, #"{"prefer":"DECLINE"}"#), (#"{"answer":"none"}"#, #"{"answer":"none"}"#),
            (#"{"answer":"data-only"}"#, #"{"answer":"data-only"}"#), (" null ", "null"),
        ] {
            #expect(await world.put("/customers/7041/preference", body).text == wanted)
            #expect(await world.get("/customers/1").text.contains(#""preference":\#(wanted),"#))
        }
        #expect(await world.put("/customers/7041/preference", #"{"prefer":"GRANT_FULL"}"#).status == 200)
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        let decision = await world.get("/cases/1")["rounds.0.decision"]
        #expect(decision?["preference"] == "GRANT_FULL" && decision?["because"] == ["customer-override"])
    }

    @Test(arguments: [
        "{}", #"{"prefer":"REFUSE"}"#, #"{"prefer":null}"#, #"{"answer":"all"}"#, #"{"prefer":"DECLINE","answer":"none"}"#, "7",
    ])
    func refusesNoPreference(_ body: String) async throws {
        let world = try await World()
        let reply = await world.put("/customers/c/preference", body)
        #expect(reply.status == 422 && reply.code == "invalid")
    }

    @Test func replacesTags() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        #expect(await world.put("/customers/7041/tags", #"{"tags":["vip","beta","vip"]}"#).text == #"{"tags":["vip","beta"]}"#)
        #expect(await world.get("/customers/7041")["tags"] == ["vip", "beta"])
        #expect(await world.put("/customers/7041/tags", #"{"tags":[]}"#).status == 200)
        #expect(await world.get("/customers/7041")["tags"] == [])
        #expect(await world.put("/customers/7041/tags", #"{"tags":["a\nb"]}"#)["field"] == "tags[0]")
        #expect(await world.put("/customers/7041/tags", #"{"tags":[1]}"#)["field"] == "tags[0]")
        #expect(await world.put("/customers/7041/tags", #"{"tags":"vip"}"#)["field"] == "tags")
    }

    @Test func linksTheOwnersUser() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        await world.notify("CONSUMPTION_REQUEST", world.coins("1"))
        #expect(await world.get("/cases/1")["customer.userId"] == .null)
        let reply = await world.put("/transactions/1/user", #"{"userId":"u-42"}"#)
        #expect(reply.text == #"{"originalTransactionId":"1","userId":"u-42","at":1790000000000}"#)
        #expect(await world.get("/customers/u-42")["originalTransactionIds"] == ["1"])
        #expect(await world.get("/cases/1")["customer.userId"] == "u-42")
        #expect(await world.put("/transactions/1/user", #"{"userId":9007199254740993}"#)["userId"] == "9007199254740993")
        #expect(await world.put("/transactions/1/user", #"{"userId":1.5}"#)["field"] == "userId")
        #expect(await world.put("/transactions/1/user", #"{"userId":null}"#)["field"] == "userId")
    }

    @Test func listsCustomersOldestFirst() async throws {
        let world = try await World()
        for id in 1...3 { await world.notify("ONE_TIME_CHARGE", world.coins("\(id)")) }
        let first = await world.get("/customers?limit=2")
        #expect(first["items"]?.list.map { $0["appTransactionIds.0"] } == ["7041", "7042"])
        let cursor = try #require(first["nextCursor"]?.text)
        #expect(await world.get("/customers?limit=2&cursor=\(cursor)")["items"]?.list.map { $0["appTransactionIds.0"] } == ["7043"])
    }

    @Test func showsBlanketConsentEverywhere() async throws {
        var app = AppSettings.acme
        app.consentMode = .blanket(attestation: "Ann Owner; terms of 2026, section 4")
        let world = try await World(app: app)
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        let customer = await world.get("/customers/1")
        #expect(customer["consent"] == "attested" && customer["consentMode"] == "blanket")
        #expect(customer["attestation"] == "Ann Owner; terms of 2026, section 4")
        let history = await world.get("/customers/1/consent")
        #expect(history.text == #"{"items":[],"nextCursor":null,"mode":"blanket","attestation":"Ann Owner; terms of 2026, section 4"}"#)
        #expect(await world.send("GET", "/metrics").text.contains("\nrefund_desk_blanket_consent{app=\"acme\"} 1\n"))
        await world.consent("7041", false)
        #expect(await world.get("/customers/1")["consent"] == "absent", "a recorded no beats it")
    }

    @Test func eachCustomerIsAskedElsewhere() async throws {
        let world = try await World()
        await world.notify("ONE_TIME_CHARGE", world.coins("1"))
        let customer = await world.get("/customers/1")
        #expect(customer["consentMode"] == "perCustomer" && customer["attestation"] == .null)
        #expect(await world.get("/customers/1/consent")["mode"] == "perCustomer")
        #expect(await !world.send("GET", "/metrics").text.contains("blanket_consent"))
    }

    @Test func sumsWhatWasPaidAndGivenBackPerCurrency() async throws {
        let world = try await World()
        let mine: [String: JSONValue] = ["appTransactionId": "7041"]
        for (id, changes) in [
            ("1", [:]), ("2", ["price": 4_990]), ("3", ["currency": "EUR"]), ("4", [:]), ("5", ["inAppOwnershipType": "FAMILY_SHARED"]),
        ] as [(String, [String: JSONValue])] {
            await world.notify("ONE_TIME_CHARGE", world.coins(id, mine.merging(changes) { $1 }))
        }
        #expect(await world.get("/customers/7041")["refunded"] == [])
        let old = world.clock.now().milliseconds - 1_000
        await world.notify(
            "REFUND",
            world.coins(
                "1",
                mine.merging(["revocationDate": .integer(old), "revocationPercentage": 25_000, "revocationType": "REFUND_PRORATED"]) { $1 })
        )
        await world.notify("REFUND", world.coins("3", mine.merging(["currency": "EUR", "revocationDate": .integer(old)]) { $1 }))
        await world.notify("REFUND", world.coins("4", mine.merging(["revocationDate": .integer(old)]) { $1 }))
        world.clock.advance(.minutes(1))
        await world.notify("REFUND_REVERSED", world.coins("4", mine))
        await world.notify("CONSUMPTION_REQUEST", world.coins("2", mine.merging(["price": 4_990]) { $1 }))
        let customer = await world.get("/customers/7041")
        #expect(customer["paid"] == [["amount": 990, "currency": "EUR"], ["amount": 6_970, "currency": "USD"]])
        #expect(customer["refunded"] == [["amount": 990, "currency": "EUR"], ["amount": 247, "currency": "USD"]])
        #expect(customer["refundsRequested"] == 1 && customer["refundsGranted"] == 2)
        #expect(customer["recent"] == ["days": 365, "requests": 1, "refunds": 2])
        world.clock.advance(.days(366))
        let later = await world.get("/customers/7041")
        #expect(later["recent"] == ["days": 365, "requests": 0, "refunds": 0])
        #expect(later["refundsRequested"] == 1 && later["refundsGranted"] == 2, "in all it is as it was")
    }

    /// Apple repeats a request while it waits: the customer asked once.
    @Test func repeatsOfARequestMakeNobodyARepeater() async throws {
        let world = try await World()
        for _ in 1...4 { await world.notify("CONSUMPTION_REQUEST", world.coins("1")) }
        #expect(await world.get("/customers?repeatRefunders=true")["items"] == [])
        #expect(await world.get("/customers/1")["recent.requests"] == 1)
    }

    @Test func findsThoseWhoComeBackForRefunds() async throws {
        let world = try await World()
        for id in 1...6 { await world.notify("ONE_TIME_CHARGE", world.coins("\(id)")) }
        for id in ["2", "2b", "5"] {
            let customer: JSONValue = .string("704" + id.prefix(1))
            await world.notify("REFUND", world.coins(id, ["appTransactionId": customer, "revocationDate": 1_789_999_000_000]))
        }
        for _ in 1...3 {
            await world.notify("CONSUMPTION_REQUEST", world.coins("4"))
            world.clock.advance(.hours(13))
        }
        let found = { (query: String) in
            await world.get("/customers?repeatRefunders=true\(query)")["items"]?.list.map { $0["appTransactionIds.0"]?.text }
        }
        #expect(await found("") == ["7042", "7044"])
        let first = await world.get("/customers?repeatRefunders=true&limit=1")
        #expect(first["items"]?.list.map { $0["appTransactionIds.0"] } == ["7042"])
        #expect(await found("&limit=1&cursor=\(first["nextCursor"]?.text ?? "")") == ["7044"])
        world.clock.advance(.days(366))
        #expect(await found("") == [])
        #expect(await world.get("/customers?repeatRefunders=false")["items"]?.list.count == 6)
        #expect(await world.get("/customers?repeatRefunders=yes")["field"] == "repeatRefunders")
    }
}
