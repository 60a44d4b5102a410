import Foundation
import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LimitTests {
    private func expectTooLarge(_ reply: TestConnection.Reply) {
        #expect(reply.status == 413)
        #expect(reply.header("Connection")?.lowercased() == "close")
        #expect(reply.header("Content-Type") == "application/problem+json")
        #expect(reply.body.contains(#""code":"too-large""#))
    }

    @Test(arguments: ["", "Expect: 100-continue\r\n"])
    func aLengthOverTheLimitIsRefusedUnread(_ extra: String) async throws {
        try await serving { port in
            expectTooLarge(try await answer(port, to: "POST / HTTP/1.1\r\nHost: x\r\n\(extra)Content-Length: 5000000\r\n\r\n"))
        }
    }

    @Test func aClientThatSendsTheWholeBodyReadsTheRefusal() async throws {
        try await serving { port in
            try await onThread {
                for _ in 0..<10 {
                    let connection = try TestConnection(port: port)
                    try connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n")
                    try connection.send([UInt8](repeating: 65, count: 5_000_000))
                    expectTooLarge(try connection.reply())
                    #expect(try connection.isClosed())
                }
            }
        }
    }

    @Test func chunksOverTheLimitAreRefusedBeforeTheirEnd() async throws {
        try await serving(configured { $0.maximumBodySize = 100_000 }) { port in
            try await onThread {
                let connection = try TestConnection(port: port)
                try connection.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunk = "8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n"
                for _ in 0..<40 { try connection.send(chunk) }  // 1.3 MB, and no last chunk.
                expectTooLarge(try connection.reply())
            }
        }
    }

    @Test func aBodyOfExactlyTheLimitIsTaken() async throws {
        try await serving(configured { $0.maximumBodySize = 1000 }) { port in
            let body = String(repeating: "x", count: 1000)
            try await expectStatus(200, port, to: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n\(body)")
            let chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n\(body)\r\n0\r\n\r\n"
            try await expectStatus(200, port, to: chunked)
        }
    }

    @Test func allBodiesTogetherAreBounded() async throws {
        let gate = Gate()
        let configuration = configured { $0.bufferedBodyLimit = 1500 }
        let request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000)
        try await serving(
            configuration,
            handler: { _ in
                await gate.pass()
                return HTTPResponse()
            }
        ) { port in
            async let first = answer(port, to: request)
            await gate.arrived()
            let second = try await answer(port, to: request)
            #expect(second.status == 503)
            #expect(second.header("Retry-After") != nil)
            await gate.open()
            let firstStatus = try await first.status
            #expect(firstStatus == 200)
        }
    }

    @Test func oneTooManyIsTurnedAwayAtOnce() async throws {
        let gate = Gate()
        try await serving(
            configured { $0.pendingLimit = 2 },
            handler: { _ in
                await gate.pass()
                return HTTPResponse()
            }
        ) { port in
            async let first = answer(port, to: "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n")
            async let second = answer(port, to: "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n")
            await gate.arrived(2)
            let third = try await answer(port, to: "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(third.status == 503)
            #expect(third.header("Retry-After") == "5")
            #expect(third.body.contains(#""code":"unavailable""#))
            await gate.open()
            let firstStatus = try await first.status
            #expect(firstStatus == 200)
            let secondStatus = try await second.status
            #expect(secondStatus == 200)
            try await expectStatus(200, port, to: "GET /4 HTTP/1.1\r\nHost: x\r\n\r\n")
        }
    }

    @Test func aSilentConnectionIsClosed() async throws {
        try await serving(configured { $0.idleTimeout = .seconds(1) }) { port in
            try await onThread {
                for start in ["", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"] {
                    let connection = try TestConnection(port: port)
                    try connection.send(start)
                    #expect(try connection.isClosed(), "after \(start)")
                }
            }
        }
    }

    @Test(arguments: [
        ("GET /?q=\(String(repeating: "y", count: 8192)) HTTP/1.1\r\nHost: x\r\n\r\n", 414, "target-too-long"),
        ("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "y", count: 16_384))\r\n\r\n", 431, "headers-too-large"),
        (
            "GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 17))\r\n", 431,
            "headers-too-large"
        ),
    ])
    func tooLongAHeadIsRefused(_ request: String, _ status: Int, _ code: String) async throws {
        try await serving { port in
            let reply = try await answer(port, to: request)
            #expect(reply.status == status)
            #expect(reply.header("Content-Type") == "application/problem+json")
            #expect(reply.body.contains("\"code\":\"\(code)\""))
            try await expectStatus(200, port, to: "GET /?q=\(String(repeating: "y", count: 4000)) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
    }

    @Test func headersThatDribbleInAreNotWaitedForLongerThanTheDeadline() async throws {
        try await serving(configured { $0.headerDeadline = .seconds(1) }) { port in
            try await onThread {
                for start in ["G", "GET / HTTP/1.1\r\nHost: x\r\nX: "] {
                    let slow = try TestConnection(port: port)
                    try slow.send(start)
                    // Never silent for as long as the idle timeout: a byte every tenth of a second.
                    let sent = (0..<150).prefix { _ in
                        usleep(100_000)
                        return (try? slow.send("y")) != nil
                    }
                    #expect(sent.count < 150, "after \(start)")
                }
            }
        }
    }

    @Test func aBodyPastTheDeadlineIsRefused() async throws {
        try await serving(configured { $0.handlerDeadline = .zero }) { port in
            let reply = try await answer(port, to: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nthe start")
            #expect(reply.status == 408)
            #expect(reply.body.contains(#""code":"timeout""#))
        }
    }

    @Test func oneAddressHasItsShareOfConnections() async throws {
        try await serving(configured { $0.perAddressConnectionLimit = 2 }) { port in
            try await onThread {
                let taken = try (0..<2).map { _ in try TestConnection(port: port) }
                for connection in taken {
                    #expect(try connection.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
                }
                let refused = try TestConnection(port: port)
                #expect((try? refused.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) == nil)
                #expect(try taken[0].request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
            }
        }
    }

    @Test func aHandlerPastItsDeadlineIsCancelledAndItsResultDropped() async throws {
        let cancelled = Gate()
        let gate = Gate()
        try await serving(
            configured { $0.handlerDeadline = .seconds(1) },
            handler: { request in
                guard request.path == "/slow" else { return echo(request) }
                try? await Task.sleep(for: .seconds(600))
                await cancelled.pass()
                await gate.pass()
                return echo(request)
            }
        ) { port in
            await cancelled.open()
            try await onThread {
                let connection = try TestConnection(port: port)
                let slow = try connection.request("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(slow.status == 503)
                #expect(slow.header("Retry-After") == "5")
                #expect(try connection.request("GET /next HTTP/1.1\r\nHost: x\r\n\r\n").body.contains("/next"))
            }
            await cancelled.arrived()
            await gate.arrived()
            await gate.open()
            try await expectStatus(200, port, to: "GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
        }
    }
}
