import HTTPServer
import Synchronization

/// Runs a server around `body`, which gets its port; stops it gracefully after.
func serving(
    _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = echo,
    _ body: (UInt16) async throws -> Void
) async throws {
    let server = try HTTPServer(configuration: configuration, handler: handler)
    try await withThrowingTaskGroup { group in
        group.addTask { await server.run() }
        try await body(server.port)
        group.cancelAll()
    }
}

func configured(_ change: (inout HTTPServerConfiguration) -> Void) -> HTTPServerConfiguration {
    var configuration = HTTPServerConfiguration()
    change(&configuration)
    return configuration
}

/// Answers with what it understood.
@Sendable func echo(_ request: HTTPRequest) -> HTTPResponse {
    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    let lines = [
        request.method, request.path, request.pathSegments.joined(separator: "|"), query, request.header("x-test") ?? "-",
        request.remoteAddress, String(decoding: request.body, as: UTF8.self),
    ]
    return HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")], body: Array(lines.joined(separator: "\n").utf8))
}

/// Holds handlers until opened, and tells when one has come.
actor Gate {
    private var isOpen = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var awaited: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private(set) var arrivals = 0

    func pass() async {
        arrivals += 1
        let ready = awaited.filter { $0.count <= arrivals }
        awaited.removeAll { $0.count <= arrivals }
        ready.forEach { $0.continuation.resume() }
        if !isOpen { await withCheckedContinuation { held.append($0) } }
    }

    func arrived(_ count: Int = 1) async {
        if arrivals < count { await withCheckedContinuation { awaited.append((count, $0)) } }
    }

    func open() {
        isOpen = true
        held.forEach { $0.resume() }
        held = []
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }

    /// - Returns: The new value.
    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
