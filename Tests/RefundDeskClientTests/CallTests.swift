import Foundation
import Testing

@testable import RefundDeskClient

@Suite(.timeLimit(.minutes(1)))
struct CallTests {
    @Test func aConsentOnTheWire() async throws {
        let transport = FakeTransport(.consent)
        let recorded = try await desk(transport).recordConsent(of: "u/42 ü", source: "in-app dialog", textVersion: "2026-10")
        #expect(recorded == RecordedConsent(at: Date(timeIntervalSince1970: 1), consented: true, source: "s", auditHash: "ab"))
        let request = try #require(await transport.requests.first)
        #expect(request.method == "PUT")
        #expect(request.url.absoluteString == "https://refunds.example.com/v1/apps/acme/customers/u%2F42%20%C3%BC/consent")
        #expect(request.headers["Authorization"] == "Bearer secret")
        struct Body: Decodable, Equatable {
            var consented: Bool
            var source: String
            var textVersion: String
        }
        let body = try JSONDecoder().decode(Body.self, from: try #require(request.body))
        #expect(body == Body(consented: true, source: "in-app dialog", textVersion: "2026-10"))
    }

    @Test func aWithdrawalSaysNo() async throws {
        let transport = FakeTransport(.consent)
        try await desk(transport).withdrawConsent(of: "u", source: "settings")
        let body = try #require(await transport.requests.first?.body)
        #expect(String(decoding: body, as: UTF8.self).contains(#""consented":false"#))
    }

    @Test(arguments: [".", "..", "a..b", "%2e", "a?b#c", "a+b&c"])
    func aNameIsOneSegmentWhateverItHolds(_ name: String) async throws {
        let transport = FakeTransport(.json(200, #"{"items":[],"nextCursor":null,"mode":"perCustomer","attestation":null}"#))
        _ = try await desk(transport).consents(of: name)
        let sent = try #require(await transport.requests.first).url.absoluteString
        let segments = sent.dropFirst("https://refunds.example.com/".count).split(separator: "/").map(String.init)
        #expect(segments.count == 6)
        #expect(segments[4].removingPercentEncoding == name)
        #expect(![".", ".."].contains(segments[4]))
        #expect(!segments[4].contains { "?#&+".contains($0) })
    }

    @Test func theTokenIsNotPrinted() throws {
        let client = try desk(FakeTransport())
        var dumped = ""
        dump(client, to: &dumped)
        for text in [dumped, "\(client)", String(reflecting: client)] {
            #expect(text.contains("acme") && !text.contains("secret"), "\(text)")
        }
    }

    @Test func theSandboxIsAnotherLedger() async throws {
        let transport = FakeTransport(.json(200, #"{"asOf":1,"entitlements":[],"balances":[]}"#))
        _ = try await desk(transport, environment: .sandbox).entitlements(of: "u", at: Date(timeIntervalSince1970: 2.5))
        #expect(await transport.requests.first?.url.query == "at=2500&environment=Sandbox")
    }

    @Test func aBaseWithAPathKeepsIt() async throws {
        let transport = FakeTransport(.json(200, #"{"result":"accepted"}"#))
        let behindProxy = try RefundDesk(
            url: try #require(URL(string: "http://desk:8080/refunds/")), app: "acme", token: "t", transport: transport)
        #expect(try await behindProxy.submitTransaction("a.b.c") == Receipt(result: .accepted))
        #expect(await transport.requests.first?.url.absoluteString == "http://desk:8080/refunds/v1/apps/acme/transactions")
    }

    @Test func whatCannotBeAskedIsToldBeforeItIsSent() async throws {
        let transport = FakeTransport(.consent)
        let client = try desk(transport)
        for name in ["", String(repeating: "x", count: 257), "a\nb"] {
            let error = await failure { try await client.recordConsent(of: name, source: "s") }
            #expect(error?.code == .invalid)
            #expect(error?.field == "customer")
        }
        #expect(await failure { try await client.recordDelivery(of: String(repeating: "1", count: 65), .delivered) }?.code == .invalid)
        #expect(await transport.requests.isEmpty)
    }

    @Test(arguments: [
        ("ftp://x", "acme", "t"), ("https://x?y", "acme", "t"), ("https:///x", "acme", "t"), ("https://x", "A B", "t"),
        ("https://x", "a", "t\n"),
    ])
    func whatIsNoDeskIsRefused(_ url: String, _ app: String, _ token: String) {
        #expect(throws: RefundDeskError.self) { try RefundDesk(url: try #require(URL(string: url)), app: app, token: token) }
    }

    @Test func entitlementsAreReadWithWordsThatMayBeNew() async throws {
        let row = """
            {"productId":"pro","subscriptionGroupIdentifier":null,"originalTransactionId":"1","transactionId":"2","active":true,"until":2000,
            "state":"suspended","ownership":"PURCHASED","willRenew":true,"pendingProductId":null,"commitment":{"state":"running",
            "billingPeriodNumber":5,"totalBillingPeriods":12,"expiresDate":9000,"endsAfterTerm":false}}
            """
        let text =
            #"{"asOf":1000,"entitlements":[\#(row)],"balances":[{"productId":"coins","purchased":300,"refunded":100,"net":200}],"new":1}"#
        let found = try await desk(FakeTransport(.json(200, text))).entitlements(of: "u")
        #expect(found.entitlements[0].state.rawValue == "suspended")
        #expect(found.entitlements[0].commitment?.state == .running)
        #expect(found.balances[0].net == 200)
        #expect(found.allows("pro", at: Date(timeIntervalSince1970: 1.999)))
        #expect(!found.allows("pro", at: Date(timeIntervalSince1970: 2)))
        #expect(!found.allows("max", at: Date(timeIntervalSince1970: 1)))
    }
}
