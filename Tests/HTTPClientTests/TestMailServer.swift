import Dispatch
import Glibc
import Synchronization

/// A mail server over a bare socket on 127.0.0.1, without TLS: takes one dialogue after the other, and replies as told.
final class TestMailServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let replies: [String: String]
    private let heard = Mutex<[String]>([])

    /// Everything that came, line by line.
    var lines: [String] { heard.withLock { $0 } }

    /// - Parameter replies: By the command's first word; `greeting` for the first line, `text` after the message. Silence where empty.
    init(_ replies: [String: String] = [:]) {
        self.replies = replies
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(bind(listener, pointer, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, pointer, &size) == 0)
            }
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        DispatchQueue(label: "mail").async { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                self?.serve(client)
                close(client)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve(_ client: Int32) {
        var pending: [UInt8] = []
        var isText = false
        say("greeting", "220 ready", client)
        while let line = Self.line(client, &pending) {
            heard.withLock { $0.append(line) }
            if isText {
                guard line == "." else { continue }
                isText = false
                say("text", "250 kept", client)
                continue
            }
            let command = String(line.split(separator: " ").first ?? "").uppercased()
            isText = command == "DATA" && replies["DATA"] == nil
            say(command, ["EHLO": "250-here\r\n250 AUTH PLAIN LOGIN", "DATA": "354 go on", "QUIT": "221 bye"][command] ?? "250 ok", client)
        }
    }

    private func say(_ step: String, _ usual: String, _ client: Int32) {
        let reply = replies[step] ?? usual
        guard !reply.isEmpty else { return }
        let bytes = Array((reply + "\r\n").utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func line(_ client: Int32, _ pending: inout [UInt8]) -> String? {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end].dropLast(), as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            pending += buffer[..<count]
        }
    }
}
