import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(1)))
struct MailTests {
    private let client = HTTPClient(userAgent: "tests/1")

    private func mail(
        _ server: TestMailServer, login: String = "", message: String = "Subject: x\r\n\r\nhello\r\n", timeout: Duration = .seconds(15),
        allowsPrivateTargets: Bool = true
    ) throws -> Mail {
        Mail(
            server: try MailServer(url: "smtp://\(login)127.0.0.1:\(server.port)"), sender: "desk@example.com",
            recipient: "you@example.com",
            message: Array(message.utf8), timeout: timeout, allowsPrivateTargets: allowsPrivateTargets)
    }

    private func failure(_ mail: Mail) async -> HTTPClientError? {
        do throws(HTTPClientError) {
            let answer = try await client.send(mail)
            Issue.record("answered with \(answer)")
            return nil
        } catch { return error }
    }

    @Test func aMailArrivesAsItIs() async throws {
        let server = TestMailServer()
        let reply = try await client.send(
            mail(server, message: "Subject: x\r\n\r\n.hidden\r\n..two\r\n.\r\nMAIL FROM:<evil@example.com>\r\n"))
        #expect(reply.reply == 250)
        let text = server.lines.drop { $0 != "DATA" }.dropFirst().prefix { $0 != "." }
        #expect(Array(text) == ["Subject: x", "", "..hidden", "...two", "..", "MAIL FROM:<evil@example.com>"])
        let envelope = server.lines.prefix { $0 != "DATA" }.dropFirst()
        #expect(Array(envelope) == ["MAIL FROM:<desk@example.com>", "RCPT TO:<you@example.com>"])
    }

    @Test(arguments: [
        ("greeting", "554 no service"), ("MAIL", "550 not you"), ("RCPT", "450 box is busy"), ("DATA", "452 full"), ("text", "554 spam"),
    ])
    func aRefusalKeepsItsCode(_ step: String, _ words: String) async throws {
        let server = TestMailServer([step: words])
        let answer = try await client.send(mail(server))
        #expect(answer.reply == Int(words.prefix(3)))
    }

    @Test func aPasswordIsNotSentWithoutTLSWhereThatIsDemanded() async throws {
        let server = TestMailServer()
        var mail = try mail(server, login: "user:geheim@")
        mail.security = .required
        let error = try #require(await failure(mail))
        #expect(error.code == .notSent && !error.isInDoubt)
        #expect(!error.message.contains("geheim"))
        #expect(!server.lines.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
    }

    @Test func nothingIsSentToAPrivateAddressUnlessAllowed() async throws {
        let server = TestMailServer()
        let error = try #require(await failure(mail(server, allowsPrivateTargets: false)))
        #expect(error.code == .blockedTarget)
        #expect(server.lines.isEmpty)
    }

    @Test func aSilentServerEndsWithTheTime() async throws {
        let server = TestMailServer(["EHLO": ""])
        let error = try #require(await failure(mail(server, timeout: .milliseconds(300))))
        #expect(error.code == .notSent && !error.isInDoubt)
        let later = TestMailServer(["text": ""])
        let doubtful = try #require(await failure(mail(later, timeout: .milliseconds(500))))
        #expect(doubtful.code == .timedOut && doubtful.isInDoubt)
    }

    @Test(arguments: [
        ("smtp://u:p@mail.example.com:587", true, Mail.Security.required), ("smtp://u:p@mail.example.com:587", false, .required),
        ("smtp://mail.example.com", false, .offered), ("smtps://mail.example.com", false, .required),
        ("smtp://u:p@127.0.0.1", true, .privateNetwork), ("smtp://u:p@127.0.0.1", false, .required),
        ("smtp://u:p@localhost", true, .privateNetwork), ("smtp://u:p@mailpit:1025", true, .privateNetwork),
        ("smtp://u:p@[::1]", true, .privateNetwork), ("smtp://u:p@10.1.2.3", true, .privateNetwork),
        ("smtp://u:p@8.8.8.8", true, .required),
        ("smtp://u:p@relay.internal", true, .privateNetwork), ("smtp://u:p@internal.example", true, .required),
    ])
    func tlsIsDemandedWhereItMatters(_ url: String, _ allowsPrivateTargets: Bool, _ security: Mail.Security) throws {
        let mail = Mail(
            server: try MailServer(url: url), sender: "a@b.c", recipient: "x@y.z", message: [], allowsPrivateTargets: allowsPrivateTargets)
        #expect(mail.security == security)
    }

    @Test func aServersURLIsTakenApart() throws {
        let server = try MailServer(url: "smtp://desk%40example.com:p%3Aw%2Frd@mail.example.com:587")
        #expect(server.url == "smtp://mail.example.com:587/" || server.url == "smtp://mail.example.com:587")
        #expect(server.user == "desk@example.com")
        #expect(server.password == "p:w/rd")
        #expect(server.host == "mail.example.com")
    }

    @Test(arguments: ["http://user:geheim@host/", "smtp://", "smtp://user:geheim%0D%0A@host", "smtp://user:geheim@ho st", "geheim"])
    func aURLThatIsNoneIsNotRepeated(_ url: String) {
        let error = #expect(throws: HTTPClientError.self) { try MailServer(url: url) }
        #expect(error?.code == .badURL)
        #expect(error?.message.contains("geheim") == false)
    }

    @Test(arguments: ["you@example.com\r\nDATA", "you@example.com> SIZE=1", "you", "a b@c", "", "you@exa\u{7F}mple.com"])
    func anAddressThatIsNoneIsRefused(_ address: String) async throws {
        let server = TestMailServer()
        var mail = try mail(server)
        mail.recipient = address
        #expect(await failure(mail)?.code == .badHeader)
        #expect(server.lines.isEmpty)
    }

    @Test func hostsAreLookedUp() async {
        let here = await HostLookup.resolve("127.0.0.1")
        #expect(here.addressCount == 1 && !here.isPublic)
        #expect(await HostLookup.resolve("[::1]").addressCount == 1)
        #expect(await HostLookup.resolve("9.9.9.9").isPublic)
        #expect(await HostLookup.resolve("nowhere.invalid").addressCount == 0)
    }
}
