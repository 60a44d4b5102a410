import Dispatch
import Glibc
import Synchronization

/// An HTTP/1.1 server over bare sockets on 127.0.0.1, which can also misbehave: each request is answered as a closure says.
package final class RawServer: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var path: String
        package var headers: [String: String]  // names in lower case
        package var body: [UInt8]
        /// Counts the connections accepted, from 1.
        package var connection: Int
        /// Counts all requests, from 1.
        package var number: Int
    }
    package enum Reply: Sendable {
        case response(Int, [String: String] = [:], [UInt8] = [])
        /// Bytes as they are; then the connection closes.
        case raw(String)
        /// Closes the connection without a byte.
        case hangUp
        /// Never answers; waits for the peer to close.
        case silence
    }
    package enum Event: Sendable, Equatable {
        case request(String)
        case peerClosed
    }

    package let port: UInt16
    package let events: AsyncStream<Event>
    private let report: AsyncStream<Event>.Continuation
    private let listener: Int32
    private let answer: @Sendable (Request) -> Reply
    private let counts = Mutex((connections: 0, requests: 0))

    package var url: String { "http://127.0.0.1:\(port)" }
    package var connections: Int { counts.withLock { $0.connections } }
    package var requests: Int { counts.withLock { $0.requests } }

    package init(_ answer: @escaping @Sendable (Request) -> Reply) {
        (listener, port) = Self.openListener()
        (events, report) = AsyncStream.makeStream()
        self.answer = answer
        let listener = listener
        DispatchQueue(label: "accept").async { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self else { break }
                let number = self.counts.withLock { counts in
                    counts.connections += 1
                    return counts.connections
                }
                DispatchQueue(label: "connection").async { self.serve(client, number) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// A port that nobody listens on.
    package static func unusedPort() -> UInt16 {
        let (listener, port) = openListener()
        close(listener)
        return port
    }

    private static func openListener() -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(listener, pointer, size) == 0 && listen(listener, 512) == 0)
                precondition(getsockname(listener, pointer, &size) == 0)
            }
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ client: Int32, _ connection: Int) {
        defer { close(client) }
        var input = Input(socket: client)
        while var request = input.request() {
            request.connection = connection
            request.number = counts.withLock { counts in
                counts.requests += 1
                return counts.requests
            }
            report.yield(.request(request.path))
            switch answer(request) {
            case .response(let status, var headers, let body):
                headers["Content-Length"] = String(body.count)
                let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
                guard write(Array("HTTP/1.1 \(status) Said\r\n\(lines)\r\n".utf8) + body, to: client) else { return }
            case .raw(let text):
                _ = write(Array(text.utf8), to: client)
                return
            case .hangUp: return
            case .silence:
                input.drain()
                report.yield(.peerClosed)
                return
            }
        }
    }

    private func write(_ bytes: [UInt8], to client: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(client, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// Reads requests from one connection.
private struct Input {
    let socket: Int32
    var pending: [UInt8] = []

    mutating func request() -> RawServer.Request? {
        var end: Int?
        while end == nil {
            end = pending.indices.first { pending[$0...].starts(with: Array("\r\n\r\n".utf8)) }
            if end == nil, !fill() || pending[0] == 0x16 { return nil }  // 0x16 begins a TLS handshake.
        }
        guard let end else { return nil }
        let lines = String(decoding: pending[..<end], as: UTF8.self).split(separator: "\r\n")
        pending.removeFirst(end + 4)
        let first = lines[0].split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        while pending.count < length { guard fill() else { return nil } }
        defer { pending.removeFirst(length) }
        return RawServer.Request(
            method: String(first[0]), path: String(first[1]), headers: headers, body: Array(pending[..<length]), connection: 0, number: 0)
    }

    mutating func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        pending += buffer[..<count]
        return true
    }

    mutating func drain() { while fill() {} }
}
