import Domain
import Foundation
import HTTPClient
import Ingest
import Testing

@testable import Outbox

private let now = Timestamp(milliseconds: 1_796_000_000_123)

private func message(title: String = "Refund requested: Acme, Production", body: String? = nil, url: String? = "https://desk.example.com/x")
    -> AlertMessage
{
    AlertMessage(
        event: "request", app: "acme", environment: "Production", transactionID: "2000000000000001", title: title, body: body ?? title,
        url: url,
        isUrgent: false)
}

private func channel(_ kind: AlertChannel.Kind) -> AlertChannel {
    AlertChannel(kind: kind, showsAmounts: false, publicURL: "https://desk.example.com", isSimulated: false)
}

private func request(_ kind: AlertChannel.Kind, _ message: AlertMessage) throws -> HTTPClientRequest {
    let parcel = channel(kind).parcel(message, identity: "alert-1", at: now, allowsPrivateTargets: false)
    switch parcel {
    case .request(let request), .botCall(let request): return request
    case .mail: throw Wrong()
    }
}

private func json(_ request: HTTPClientRequest) throws -> [String: any Sendable] {
    let object = try JSONSerialization.jsonObject(with: Data(request.body ?? []))
    return try #require(object as? [String: any Sendable])
}

private struct Wrong: Error {}

@Suite struct ChannelTests {
    @Test func slackGetsNoMarksOfItsOwn() throws {
        let body = try json(request(.slack(url: "https://hooks.example.com"), message(body: "<!channel> & <b>")))
        #expect(body["text"] as? String == "&lt;!channel&gt; &amp; &lt;b&gt;\nhttps://desk.example.com/x")
    }

    @Test func discordRingsNobodyAndKeepsTheLink() throws {
        let body = try json(request(.discord(url: "https://hooks.example.com"), message(body: String(repeating: "*", count: 3_000))))
        let content = try #require(body["content"] as? String)
        #expect(content.utf16.count <= 2_000)
        #expect(content.hasSuffix("…\nhttps://desk.example.com/x"))
        #expect((body["allowed_mentions"] as? [String: [String]]) == ["parse": []])
    }

    @Test func telegramGetsPlainText() throws {
        let sent = try request(.telegram(apiURL: "https://api.telegram.org", token: "1:a", chatID: "-100"), message(body: "a_b *c*"))
        #expect(sent.url == "https://api.telegram.org/bot1:a/sendMessage")
        let body = try json(sent)
        #expect(body["chat_id"] as? String == "-100")
        #expect(body["text"] as? String == "a_b *c*\nhttps://desk.example.com/x")
        #expect(body["parse_mode"] == nil)
    }

    @Test func ntfyHeadersAreASCII() throws {
        let sent = try request(.ntfy(url: "https://ntfy.example.com/topic"), message(title: "Rückgabe 📚\r\nX-Evil: 1"))
        let headers = Dictionary(sent.headers.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(headers.values.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        #expect(headers["Title"]?.hasPrefix("=?utf-8?B?") == true)
        #expect(headers["Click"] == "https://desk.example.com/x")
        #expect(headers["Priority"] == "3")
    }

    @Test func aWebhookHasAllMembers() throws {
        var bare = message(url: nil)
        bare.transactionID = nil
        let body = try json(request(.webhook(url: "https://example.com"), bare))
        #expect(Set(body.keys) == ["event", "app", "environment", "transactionId", "text", "url"])
    }

    @Test func shorteningKeepsCharactersWhole() {
        #expect("abc".shortened(to: 3, in: .bytes) == "abc")
        let family = "👨‍👩‍👧‍👦"
        #expect((family + "abcdef").shortened(to: 20, in: .bytes) == "…")
        #expect(String(repeating: "é", count: 10).shortened(to: 12, in: .bytes) == "éééé…")
    }
}

@Suite struct MailTextTests {
    private let box = AlertChannel.MailBox(
        server: try! MailServer(url: "smtp://mail.example.com"),  // a literal that is a URL
        sender: "desk@example.com", recipient: "a@example.com", everyone: ["a@example.com", "b@example.com"])

    private func text(_ message: AlertMessage) -> String {
        String(decoding: MailText(message, box: box, identity: "alert-1", at: now).bytes, as: UTF8.self)
    }

    @Test func aPlainMail() {
        #expect(
            text(message(body: "one\n.two=")) == """
                Date: Mon, 30 Nov 2026 00:53:20 +0000\r
                From: Refund Desk <desk@example.com>\r
                To: <a@example.com>,\r
                 <b@example.com>\r
                Message-ID: <alert-1@example.com>\r
                Subject: Refund requested: Acme, Production\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                one\r
                .two=3D\r
                https://desk.example.com/x\r

                """)
    }

    @Test(arguments: ["Bücher\r\nBcc: evil@example.com", "a\u{0}b\nc", String(repeating: "é🧾", count: 200), "=?utf-8?Q?x?="])
    func aTitleStaysOneHeader(_ title: String) {
        let head = text(message(title: title, body: "x")).components(separatedBy: "\r\n\r\n")[0]
        let lines = head.components(separatedBy: "\r\n")
        #expect(lines.filter { !$0.hasPrefix(" ") }.count == 9)
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    }

    @Test func quotedPrintableBreaksLongLines() {
        let encoded = QuotedPrintable.encode(String(repeating: "ü", count: 100) + " \nend")
        #expect(encoded.components(separatedBy: "\r\n").allSatisfy { $0.count <= 76 })
        #expect(encoded.hasSuffix("=20\r\nend"))
    }
}

@Suite struct ReceiverReplyTests {
    private func reply(_ status: Int, _ body: String = "", _ headers: [(name: String, value: String)] = []) -> ReceiverReply {
        ReceiverReply(HTTPClientResponse(status: status, headers: headers, body: Array(body.utf8)), at: now)
    }

    @Test func successIsAnyTwo() {
        #expect(reply(204).error == nil)
        #expect(reply(200, "ok").error == nil)
        #expect(reply(200, #"{"ok":false}"#).error == nil, "a webhook's body says nothing")
        let refused = HTTPClientResponse(status: 200, body: Array(#"{"ok":false}"#.utf8))
        #expect(ReceiverReply(refused, at: now, readsVerdict: true).error != nil)
        #expect(reply(302).error != nil)
    }

    @Test(arguments: [
        ("", [(name: "Retry-After", value: "30")], Int64(30_000)), (#"{"retry_after":1.5,"global":false}"#, [], 1_500),
        (#"{"ok":false,"parameters":{"retry_after":35}}"#, [], 35_000), ("", [(name: "Retry-After", value: "99999999")], 86_400_000),
        (#"{"retry_after":-1}"#, [], nil), (#"{"retry_after":"soon"}"#, [], nil), ("slow down", [], nil),
    ])
    func waitsAsAsked(_ body: String, _ headers: [(name: String, value: String)], _ wait: Int64?) {
        #expect(reply(429, body, headers).notBefore == wait.map { now + .milliseconds($0) })
    }

    @Test func aMailServersNoIsFinalFromFiveHundredOn() {
        #expect(ReceiverReply(mailReply: 250, words: "").error == nil)
        #expect(!ReceiverReply(mailReply: 451, words: "").isFinal)
        #expect(ReceiverReply(mailReply: 550, words: "").isFinal)
    }
}
