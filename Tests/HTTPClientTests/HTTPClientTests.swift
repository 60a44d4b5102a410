import HTTPClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPClientTests {
    let client = HTTPClient(userAgent: "tests/1", maximumConnections: 8, perHostConnections: 4)

    func request(_ url: String, method: String = "GET", body: [UInt8]? = nil, timeout: Duration = .seconds(15)) -> HTTPClientRequest {
        HTTPClientRequest(method: method, url: url, body: body, timeout: timeout, allowsPrivateTargets: true)
    }

    func failure(_ request: HTTPClientRequest) async -> HTTPClientError? {
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            Issue.record("answered with \(response.status)")
            return nil
        } catch { return error }
    }

    // MARK: Answers

    @Test func anAnswerWithHeadersAndBody() async throws {
        let server = RawServer { _ in .response(200, ["Retry-After": "7", "X-Empty": ""], Array("hello".utf8)) }
        let response = try await client.send(request(server.url + "/a?b=c"))
        #expect(response.status == 200)
        #expect(response.body == Array("hello".utf8))
        #expect(response.header("retry-AFTER") == "7")
        #expect(response.header("x-empty") == "")
        #expect(response.header("absent") == nil)
    }

    @Test func anAnswerWithoutBody() async throws {
        let server = RawServer { _ in .response(202) }
        let response = try await client.send(request(server.url, method: "PUT", body: Array("{}".utf8)))
        #expect(response.status == 202)
        #expect(response.body.isEmpty)
    }

    @Test func theRequestArrivesAsGiven() async throws {
        let server = RawServer { request in
            let seen = ["content-type", "authorization", "user-agent", "x-empty", "expect", "content-length"].map {
                request.headers[$0] ?? "-"
            }
            return .response(200, [:], Array("\(request.method) \(request.path) \(seen.joined(separator: "|"))".utf8) + request.body)
        }
        var sent = request(server.url + "/p%2Bq?x=1%2B2", method: "PUT", body: Array("ABC".utf8))
        sent.headers = [("Content-Type", "application/json"), ("Authorization", "Bearer x"), ("X-Empty", "")]
        let response = try await client.send(sent)
        #expect(String(decoding: response.body, as: UTF8.self) == "PUT /p%2Bq?x=1%2B2 application/json|Bearer x|tests/1||-|3ABC")
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "HEAD", "PATCH"])
    func methodsWithoutBody(_ method: String) async throws {
        let server = RawServer {
            .response(200, ["X-Seen": "\($0.method) \($0.headers["content-length"] ?? "-") \($0.headers["content-type"] ?? "-")"])
        }
        let response = try await client.send(request(server.url, method: method))
        #expect(response.header("X-Seen") == "\(method) \(method.hasPrefix("P") && method != "PATCH" ? "0" : "-") -")
    }

    @Test func aLongBodyIsSentWithoutWaiting() async throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = RawServer { .response($0.body == body && $0.headers["expect"] == nil ? 200 : 400) }
        #expect(try await client.send(request(server.url, method: "POST", body: body)).status == 200)
    }

    @Test func redirectsAreAnswers() async throws {
        let server = RawServer { $0.path == "/" ? .response(302, ["Location": "/elsewhere"]) : .response(200) }
        let response = try await client.send(request(server.url + "/"))
        #expect(response.status == 302)
        #expect(server.requests == 1)
    }

    @Test func manyRequestsShareFewConnections() async throws {
        let server = RawServer { .response(200, [:], Array($0.path.utf8)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let response = try await client.send(request("\(server.url)/\(index)"))
                    #expect(String(decoding: response.body, as: UTF8.self) == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests == 200)
        #expect(server.connections <= 4)
    }

    // MARK: Not sent

    @Test(arguments: [
        "", "example.com", "/path", "ftp://example.com", "file:///etc/passwd", "http://", "http://a b/", "https://x:99999/", "http://x\0y/",
    ])
    func badURLs(_ url: String) async throws {
        let error = try #require(await failure(request(url)))
        #expect(error.code == .badURL)
        #expect(!error.isInDoubt)
    }

    @Test(arguments: [("X\r\nY", "z"), ("", "z"), ("X", "a\r\nInjected: 1"), ("X", "a\0")])
    func badHeaders(_ name: String, _ value: String) async throws {
        var sent = request("http://127.0.0.1:1/")
        sent.headers = [(name, value)]
        #expect(await failure(sent)?.code == .badHeader)
    }

    @Test func connectionRefused() async throws {
        let error = try #require(await failure(request("http://127.0.0.1:\(RawServer.unusedPort())/bot-s3cret?key=s3cret")))
        #expect(error.code == .notSent)
        #expect(!error.isInDoubt)
        #expect(error.message.contains("127.0.0.1"))
        #expect(!error.message.contains("s3cret"))
    }

    @Test func aNameThatDoesNotResolve() async throws {
        let error = try #require(await failure(request("https://refund-desk.invalid/")))
        #expect(error.code == .notSent)
        #expect(!error.isInDoubt)
    }

    @Test func noTLS() async throws {
        let server = RawServer { _ in .response(200) }
        let error = try #require(await failure(request("https://127.0.0.1:\(server.port)/", method: "PUT", body: [1])))
        #expect(error.code == .notSent)
        #expect(!error.isInDoubt)
        #expect(server.requests == 0)
    }

    @Test func timeRunsOutWhileWaitingForAConnection() async throws {
        let server = RawServer { _ in .silence }
        let narrow = HTTPClient(userAgent: "tests/1", maximumConnections: 1, perHostConnections: 1)
        var events = server.events.makeAsyncIterator()
        let holder = Task { try? await narrow.send(request(server.url + "/first")) }
        #expect(await events.next() == .request("/first"))
        await #expect { try await narrow.send(request(server.url + "/second", timeout: .milliseconds(100))) } throws: {
            guard let error = $0 as? HTTPClientError else { return false }
            return error.code == .notSent && !error.isInDoubt
        }
        #expect(server.requests == 1)
        holder.cancel()
        _ = await holder.value
    }

    // MARK: In doubt

    @Test(arguments: ["GET", "PUT"])
    func theReplyIsLost(_ method: String) async throws {
        let server = RawServer { _ in .hangUp }
        let error = try #require(await failure(request(server.url, method: method, body: method == "PUT" ? [1] : nil)))
        #expect(error.code == .interrupted)
        #expect(error.isInDoubt)
        #expect(server.requests == 1)
    }

    /// libcurl would send it again by itself; then the server had it twice and the caller knew of one.
    @Test func aLostReplyOnAKeptConnectionIsNotRepeated() async throws {
        let server = RawServer { $0.number == 2 ? .hangUp : .response(202) }
        #expect(try await client.send(request(server.url, method: "PUT", body: [1])).status == 202)
        let error = try #require(await failure(request(server.url, method: "PUT", body: [2])))
        #expect(error.code == .interrupted)
        #expect(error.isInDoubt)
        #expect(server.requests == 2)
        #expect(try await client.send(request(server.url, method: "PUT", body: [2])).status == 202)
    }

    @Test func readingIsRepeatedOnANewConnection() async throws {
        let server = RawServer { $0.number == 2 ? .hangUp : .response(200) }
        #expect(try await client.send(request(server.url)).status == 200)
        #expect(try await client.send(request(server.url)).status == 200)
        #expect(server.requests == 3)
        #expect(server.connections == 2)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 202", "SSH-2.0-x\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func aBrokenAnswer(_ text: String) async throws {
        let server = RawServer { _ in .raw(text) }
        let error = try #require(await failure(request(server.url, method: "PUT", body: [1])))
        #expect(error.code == .interrupted)
        #expect(error.isInDoubt)
    }

    @Test func noAnswerInTime() async throws {
        let server = RawServer { _ in .silence }
        var timeout = Duration.milliseconds(50)
        var error: HTTPClientError?
        repeat {
            timeout *= 2
            error = await failure(request(server.url, method: "PUT", body: [1], timeout: timeout))
        } while error?.code == .notSent  // A busy machine needs longer to send anything.
        #expect(error?.code == .timedOut)
        #expect(error?.isInDoubt == true)
    }

    @Test func anAnswerThatIsTooLong() async throws {
        let server = RawServer { _ in .response(200, [:], [UInt8](repeating: 65, count: 100_001)) }
        var sent = request(server.url)
        sent.maximumResponseSize = 100_001
        #expect(try await client.send(sent).body.count == 100_001)
        sent.maximumResponseSize = 100_000
        let error = try #require(await failure(sent))
        #expect(error.code == .responseTooLarge)
        #expect(error.isInDoubt)
    }

    // MARK: Cancelling and closing

    @Test func cancellingAbortsTheTransfer() async throws {
        let server = RawServer { _ in .silence }
        let task = Task { await failure(request(server.url + "/wait")) }
        var events = server.events.makeAsyncIterator()
        #expect(await events.next() == .request("/wait"))
        task.cancel()
        let error = try #require(await task.value)
        #expect(error.code == .cancelled)
        #expect(error.isInDoubt)
        #expect(await events.next() == .peerClosed)
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let server = RawServer { _ in .response(200) }
        let gate = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate.stream {}  // Ends when the task is cancelled.
            return await failure(request(server.url))
        }
        task.cancel()
        let error = try #require(await task.value)
        #expect(error.code == .cancelled)
        #expect(!error.isInDoubt)
        #expect(server.requests == 0)
    }

    @Test func closingEndsWhatRunsAndRefusesTheRest() async throws {
        let server = RawServer { _ in .silence }
        let task = Task { await failure(request(server.url + "/wait")) }
        var events = server.events.makeAsyncIterator()
        #expect(await events.next() == .request("/wait"))
        client.close()
        #expect(await task.value?.code == .cancelled)
        #expect(await events.next() == .peerClosed)
        #expect(await failure(request(server.url))?.code == .cancelled)
        #expect(server.requests == 1)
    }

    // MARK: Private targets

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "127.1"])
    func privateTargetsAreRefused(_ host: String) async throws {
        let server = RawServer { _ in .response(200) }
        var sent = request("http://\(host):\(server.port)/")
        sent.allowsPrivateTargets = false
        let error = try #require(await failure(sent))
        #expect(error.code == .blockedTarget)
        #expect(!error.isInDoubt)
        #expect(server.connections == 0)
    }

    @Test func aConnectionOpenedForAnotherRequestIsNoWayAround() async throws {
        let server = RawServer { _ in .response(200) }
        #expect(try await client.send(request(server.url)).status == 200)
        var sent = request(server.url)
        sent.allowsPrivateTargets = false
        #expect(await failure(sent)?.code == .blockedTarget)
        #expect(server.requests == 1)
    }
}
