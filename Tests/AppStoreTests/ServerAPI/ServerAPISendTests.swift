import Domain
import HTTPClient
import TestSupport
import Testing

@testable import AppStore

/// One scripted reply to Send Consumption Information and what it must be taken for.
struct SendRow: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var reply: RawServer.Reply
    var kind: SendOutcome.Kind
    var status: Int?
    var code: Int64?
    var says: String?

    init(_ name: String, _ reply: RawServer.Reply, _ kind: SendOutcome.Kind, status: Int?, code: Int64? = nil, says: String? = nil) {
        testDescription = name
        (self.reply, self.kind, self.status, self.code, self.says) = (reply, kind, status, code, says)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ServerAPISendTests {
    @Test(arguments: [
        SendRow("202 without a body", .response(202), .accepted, status: 202),
        SendRow("200", .json("{}"), .accepted, status: 200),
        SendRow("400 with a known code", .error(4_000_035), .refused, status: 400, code: 4_000_035, says: "InvalidCustomerConsentedError"),
        SendRow("400 with an unknown code", .error(4_000_298), .refused, status: 400, code: 4_000_298, says: "OutOfRange"),
        SendRow("400 without a code", .response(400), .refused, status: 400, says: "malformed"),
        SendRow(
            "401 in plain text", .response(401, [:], Array("Unauthenticated\n".utf8)), .unauthorized, status: 401,
            says: "In-App Purchase key"),
        SendRow("401 without a body", .response(401), .unauthorized, status: 401, says: "not authorised (key, or app not released)"),
        SendRow("403 with an unknown code", .error(4_030_099), .refused, status: 403, code: 4_030_099, says: "Said by Apple"),
        SendRow("404 of the transaction", .error(4_040_010), .notFound, status: 404, code: 4_040_010, says: "environment"),
        SendRow("404, retryable", .error(4_040_004), .serverFault, status: 404, code: 4_040_004),
        SendRow("404 of something else", .response(404, [:], Array("<html>".utf8)), .refused, status: 404, says: "URL"),
        SendRow("429", .error(4_290_000), .rateLimited, status: 429, code: 4_290_000),
        SendRow("500, retryable", .error(5_000_001), .serverFault, status: 500, code: 5_000_001),
        SendRow("503 of a proxy", .response(503, [:], Array("<html>".utf8)), .serverFault, status: 503),
        SendRow("the status beats the code", .json(#"{"errorCode": 4000006}"#, status: 502), .serverFault, status: 502, code: 4_000_006),
        SendRow("a redirect", .response(302, ["Location": "/"]), .serverFault, status: 302, says: "redirect"),
        SendRow("a code that is no number", .json(#"{"errorCode": "x"}"#, status: 400), .refused, status: 400),
        SendRow("the reply is lost", .hangUp, .inDoubt, status: nil, says: "may have it"),
        SendRow("the reply breaks off", .raw("HTTP/1.1 202 Acc"), .inDoubt, status: nil),
    ])
    func outcome(_ row: SendRow) async {
        let store = ScriptedAppStore([row.reply])
        let outcome = await store.send()
        #expect(outcome.kind == row.kind)
        #expect(outcome.httpStatus == row.status)
        #expect(outcome.errorCode == row.code)
        #expect(outcome.at == store.now)
        #expect((outcome.explanation == nil) == (row.kind == .accepted))
        if let says = row.says { #expect(outcome.explanation?.contains(says) == true, "\(outcome.explanation ?? "")") }
        #expect(store.calls.count == 1, "one call is one try")
    }

    @Test func theRequestOnTheWire() async throws {
        let store = ScriptedAppStore([.response(202)])
        _ = await store.send(#"{"a":1}"#)
        let call = try #require(store.calls.first)
        #expect(call.method == "PUT")
        #expect(call.path == "/inApps/v2/transactions/consumption/2000000000000002")
        #expect(call.headers["content-type"] == "application/json")
        #expect(call.body == Array(#"{"a":1}"#.utf8))
    }

    /// What is not an id must not lead to another endpoint.
    @Test func anIDStaysOnePathSegment() async {
        let store = ScriptedAppStore([.response(202)])
        _ = await store.api.sendConsumptionInformation(transactionID: TransactionID("../1?a=b#é"), body: [])
        #expect(store.calls.first?.path == "/inApps/v2/transactions/consumption/..%2F1%3Fa%3Db%23%C3%A9")
    }

    @Test("field report 78: every error of the catalogue is retried or not as it says") func everyErrorOfTheCatalogue() async {
        let entries = ServerAPIErrorCode.all.filter { $0.code != nil }
        let store = ScriptedAppStore(entries.map { .error($0.code ?? 0) })
        for entry in entries {
            let outcome = await store.send()
            #expect(outcome.errorCode == entry.code)
            let expected: SendOutcome.Kind =
                switch entry.code {
                case 4_040_010: .notFound
                case 4_290_000: .rateLimited
                case 4_040_002, 4_040_004, 4_040_006, 5_000_000, 5_000_001: .serverFault
                default: .refused
                }
            #expect(outcome.kind == expected, "\(entry)")
            #expect(outcome.explanation?.contains(entry.meaning) == true)
            #expect(outcome.explanation?.contains(entry.remedy) == true)
        }
    }

    @Test func oneRefusedToken() async {
        let store = ScriptedAppStore([.response(401, [:], Array("Unauthenticated\n".utf8)), .response(202)])
        #expect(await store.send().kind == .unauthorized)
        store.api.renewToken()
        #expect(await store.send().kind == .accepted)
        let calls = store.calls
        #expect(calls.count == 2)
        #expect(calls[0].headers["authorization"] != calls[1].headers["authorization"])
        #expect(calls[0].body == calls[1].body)
    }

    @Test func anEmpty401MeansNoReleaseInProductionOnly() async {
        let outcome = await ScriptedAppStore([.response(401)], environment: .sandbox).send()
        #expect(outcome.explanation?.contains("released") == false)
    }

    @Test func aWrongClockIsNamed() async {
        let store = ScriptedAppStore([.response(401, ["Date": "Fri, 15 Jan 2027 08:10:00 GMT"])])  // 600 s after the store's clock
        let outcome = await store.send()
        #expect(outcome.clockOffset == .seconds(600))
        #expect(outcome.explanation?.contains("600 s behind Apple's") == true)
    }

    @Test func rateLimitsSayWhen() async {
        let until = 1_800_000_060_000
        let outcome = await ScriptedAppStore([.response(429, ["Retry-After": "\(until)"])]).send()
        #expect(outcome.kind == .rateLimited)
        #expect(outcome.retryAfter == Timestamp(milliseconds: Int64(until)))
    }

    @Test func notSent() async {
        let api = AppStoreServerAPI(
            credentials: ScriptedAppStore.credentials, environment: .production, baseURL: "http://127.0.0.1:\(RawServer.unusedPort())",
            client: HTTPClient(userAgent: "tests/1"), allowsPrivateTargets: true, now: { Timestamp(milliseconds: 0) })
        let outcome = await api.sendConsumptionInformation(transactionID: TransactionID("1"), body: [])
        #expect(outcome.kind == .notSent)
        #expect(outcome.httpStatus == nil)
        #expect(outcome.explanation?.hasPrefix("Not sent: ") == true)
    }

    @Test func privateTargetsOnlyWhereAllowed() async {
        let store = ScriptedAppStore([.response(202)], allowsPrivateTargets: false)
        #expect(await store.send().kind == .notSent)
        #expect(store.calls.isEmpty)
    }
}
