import HTTPServer
import Testing

struct RequestTests {
    @Test func aRequestArrivesWhole() async throws {
        try await serving { port in
            let reply = try await answer(
                port, to: "POST /a%20b/c?q=1+2 HTTP/1.1\r\nHost: x\r\nX-TEST: yes\r\nContent-Length: 5\r\n\r\nhello")
            #expect(reply.status == 200)
            #expect(reply.body == "POST\n/a%20b/c\na b|c\nq=1 2\nyes\n127.0.0.1\nhello")
            #expect(reply.header("Content-Type") == "text/plain")
        }
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await serving { port in
            try await onThread {
                let connection = try TestConnection(port: port)
                for number in 0..<50 {
                    let reply = try connection.request("PUT /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
                    #expect(reply.body.contains("/\(number)\n"))
                }
                try connection.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(try connection.reply().body.contains("/1\n"))
                #expect(try connection.reply().body.contains("/2\n"))
                #expect(try connection.isClosed())
            }
        }
    }

    @Test func handlersRunAtTheSameTime() async throws {
        let gate = Gate()
        try await serving(handler: { request in
            await gate.pass()
            return echo(request)
        }) { port in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask { try await answer(port, to: "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n").status }
                }
                await gate.arrived(40)
                await gate.open()
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        try await serving(handler: { HTTPResponse(body: $0.body) }) { port in
            let body = String((0..<100_000).flatMap { String($0 % 10) + "bcdefghi" })
            let reply = try await answer(port, to: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(reply.body == body)
        }
    }

    @Test func chunksBecomeOneBody() async throws {
        try await serving { port in
            let reply = try await answer(
                port,
                to: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nT: v\r\n\r\n")
            #expect(reply.body.hasSuffix("\nhello, world"))
        }
    }

    @Test func aBodyIsAskedForWhenTheClientWaits() async throws {
        try await serving { port in
            try await onThread {
                let connection = try TestConnection(port: port)
                let first = try connection.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
                #expect(first.status == 100)
                #expect(try connection.request("hi").body.hasSuffix("\nhi"))
            }
        }
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        try await serving { port in
            try await onThread {
                let connection = try TestConnection(port: port)
                try connection.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try connection.reply(bodyless: true).header("Content-Length") != "0")
                #expect(try connection.request("GET /y HTTP/1.1\r\nHost: x\r\n\r\n").body.contains("/y"))
            }
        }
    }

    @Test(arguments: [
        "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET /%FF HTTP/1.1\r\nHost: x\r\n\r\n", "GET /?a=% HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /% HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nX: a\rContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET /a\u{0}b HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func malformedIsAnswered(_ request: String) async throws {
        try await serving { port in
            let reply = try await answer(port, to: request)
            #expect(reply.status == 400)
            #expect(reply.header("Content-Type") == "application/problem+json")
            #expect(reply.body.contains(#""code":"malformed""#))
            #expect(reply.body.contains(#""status":400"#))
        }
    }

    @Test func nonsenseDoesNotStopTheServer() async throws {
        try await serving(configured { $0.idleTimeout = .seconds(1) }) { port in
            for nonsense in ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"] {
                _ = try? await answer(port, to: nonsense)
            }
            _ = try? await answer(port, to: "GET / HTTP/1.1\r\nX: \(String(repeating: "y", count: 100_000))\r\n\r\n")
            try await expectStatus(200, port, to: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        }
    }

    @Test func noHeaderCanBeInjected() async throws {
        let headers = [
            ("X-A", "1\r\nX-Evil: 2"), ("X-B\r\nX-Evil", "2"), ("X-C", "a\0b"), ("", "x"), ("X-Good", "fine"), ("X-Empty", ""),
            ("Content-Length", "7"), ("Transfer-Encoding", "chunked"),
        ]
        try await serving(handler: { _ in HTTPResponse(status: 99, headers: headers, body: [65]) }) { port in
            let reply = try await answer(port, to: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(reply.status == 500)
            #expect(reply.header("X-Good") == "fine")
            #expect(reply.header("X-Evil") == nil)
            #expect(reply.header("X-A") == nil)
            #expect(reply.header("X-C") == nil)
            #expect(reply.body == "A")
        }
    }
}
