import Testing

@testable import HTTPServer

private let request = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"

@Suite(.timeLimit(.minutes(2)))
struct LifecycleTests {
    @Test func stoppingFinishesWhatIsInFlight() async throws {
        let gate = Gate()
        let server = try HTTPServer(configuration: HTTPServerConfiguration()) { request in
            await gate.pass()
            return Task.isCancelled ? HTTPResponse(status: 500) : echo(request)
        }
        let running = Task { await server.run() }
        async let replies = withThrowingTaskGroup(of: TestConnection.Reply.self) { group in
            for _ in 0..<20 { group.addTask { try await answer(server.port, to: request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        await gate.arrived(20)
        running.cancel()
        // Refused from the moment the stop has begun.
        while (try? await onThread { try TestConnection(port: server.port) }) != nil {}
        await gate.open()
        await running.value
        for reply in try await replies {
            #expect(reply.status == 200)
            #expect(reply.header("Connection")?.lowercased() == "close")
        }
    }

    @Test func stoppingDoesNotWaitForAHandlerPastItsDeadline() async throws {
        let gate = Gate()
        let server = try HTTPServer(configuration: configured { $0.handlerDeadline = .seconds(1) }) { request in
            await gate.pass()
            return echo(request)
        }
        let running = Task { await server.run() }
        async let reply = answer(server.port, to: request)
        await gate.arrived()
        running.cancel()
        await running.value
        let replyStatus = try await reply.status
        #expect(replyStatus == 503)
        await gate.open()
    }

    @Test func requestsWaitForRun() async throws {
        let calls = Counter()
        let server = try HTTPServer(configuration: HTTPServerConfiguration()) { request in
            _ = calls.increment()
            return echo(request)
        }
        try await withThrowingTaskGroup { group in
            let connection = try await onThread {
                let connection = try TestConnection(port: server.port)
                try connection.send(request)
                return connection
            }
            #expect(calls.value == 0)
            group.addTask { await server.run() }
            let status = try await onThread { try connection.reply().status }
            #expect(status == 200)
            group.cancelAll()
        }
    }

    @Test func aServerThatNeverRanAnswersAndGoes() async throws {
        for _ in 0..<20 {
            var server: HTTPServer? = try HTTPServer(configuration: HTTPServerConfiguration(), handler: echo)
            let port = try #require(server?.port)
            let connection = try await onThread {
                let connection = try TestConnection(port: port)
                try connection.send(request)
                return connection
            }
            server = nil
            _ = server
            // Answered or closed, according to how far it had come: never left open.
            _ = try? await onThread { try connection.reply() }
            await #expect(throws: (any Error).self) { try await onThread { try TestConnection(port: port) } }
        }
    }

    @Test func stoppingUnderLoadAnswersOrCloses() async throws {
        for _ in 0..<10 {
            let server = try HTTPServer(configuration: HTTPServerConfiguration()) { request in
                await Task.yield()
                return echo(request)
            }
            let running = Task { await server.run() }
            let served = Counter()
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        _ = try? await onThread {
                            let connection = try TestConnection(port: server.port)
                            while true {
                                _ = try connection.request(request)
                                if served.increment() == 200 { running.cancel() }
                            }
                        }
                    }
                }
            }
            running.cancel()
            await running.value
            #expect(served.value >= 200)
        }
    }

    @Test func aPortInUseIsTold() async throws {
        let first = try HTTPServer(configuration: HTTPServerConfiguration(), handler: echo)
        let error = #expect(throws: HTTPServerError.self) {
            _ = try HTTPServer(configuration: configured { $0.port = first.port }, handler: echo)
        }
        #expect(error?.code == .addressInUse)
        #expect(error?.message.contains("\(first.port)") == true)
    }

    @Test(arguments: ["no such host", "192.0.2.1"]) func aForeignAddressIsTold(_ host: String) {
        let error = #expect(throws: HTTPServerError.self) {
            _ = try HTTPServer(configuration: configured { $0.host = host }, handler: echo)
        }
        #expect(error?.code == .badAddress)
    }
}
