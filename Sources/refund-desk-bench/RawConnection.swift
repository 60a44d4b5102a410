import Foundation

/// One kept-alive HTTP connection on blocking sockets: a load generator has to cost as little as it can, since it shares the cores.
final class RawConnection {
    private let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard code == 0 else { throw BenchFault("nobody listens on port \(port)") }
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(socket) }

    static func post(_ path: String, _ body: [UInt8]) -> [UInt8] {
        let head = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    static func get(_ path: String, token: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
    }

    /// Sends a whole request and reads the whole answer.
    ///
    /// - Returns: The status.
    func perform(_ request: [UInt8]) throws -> Int {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { write(socket, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
            guard count > 0 else { throw BenchFault("the server closed the connection") }
            sent += count
        }
        var received = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { read(socket, $0.baseAddress?.advanced(by: received), $0.count - received) }
            guard count > 0 else { throw BenchFault("the server closed the connection") }
            received += count
            if let status = complete(buffer[..<received]) { return status }
        }
    }

    /// The status once head and body are there.
    private func complete(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        guard let length, bytes.count >= end.upperBound + length else { return nil }
        return head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}
