import Foundation
import Testing

/// A blocking connection to a port of this machine, for threads outside Swift's pool; gives up on silence after 20 seconds.
final class TestConnection: Sendable {
    struct Failure: Error { var reason: String }
    struct Reply: Sendable {
        var status: Int
        var head: String
        var body: String
        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
        }
    }

    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(reason: "connect: \(errno)") }  // `deinit` closes.
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(reason: "send: \(errno)") }
            sent += count
        }
    }

    /// What has come, at least a byte; empty at the end of the stream.
    private func receive(_ limit: Int = 65536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        guard count >= 0 else { throw Failure(reason: "recv: \(errno)") }
        return Array(buffer.prefix(count))
    }

    /// Reads a head, byte by byte to leave what follows, then the body that its length announces.
    func reply(bodyless: Bool = false) throws -> Reply {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let byte = try receive(1)
            guard !byte.isEmpty else { throw Failure(reason: "closed after: \(String(decoding: head, as: UTF8.self))") }
            head += byte
        }
        let text = String(decoding: head, as: UTF8.self)
        var reply = Reply(status: Int(text.split(separator: " ")[1]) ?? 0, head: text, body: "")
        let length = bodyless ? 0 : Int(reply.header("Content-Length") ?? "0") ?? 0
        var body: [UInt8] = []
        while body.count < length {
            let part = try receive(length - body.count)
            guard !part.isEmpty else { throw Failure(reason: "body cut") }
            body += part
        }
        reply.body = String(decoding: body, as: UTF8.self)
        return reply
    }

    /// Whether the server ends the stream, with nothing more sent.
    func isClosed() throws -> Bool { try receive().isEmpty }

    func request(_ text: String) throws -> Reply {
        try send(text)
        return try reply()
    }
}

/// Runs blocking work on a thread of its own, so that it takes none from the server's handlers.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}

/// One request on a connection of its own.
func answer(_ port: UInt16, to request: String) async throws -> TestConnection.Reply {
    try await onThread { try TestConnection(port: port).request(request) }
}

func expectStatus(_ status: Int, _ port: UInt16, to request: String, _ location: SourceLocation = #_sourceLocation) async throws {
    let reply = try await answer(port, to: request)
    #expect(reply.status == status, sourceLocation: location)
}
