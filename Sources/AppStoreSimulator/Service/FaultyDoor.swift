import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The public side of a listener: passes bytes on to the HTTP server behind it, and fails as networks do when told to.
///
/// IPv4. Two threads a connection: enough for a simulator, and they fail without disturbing the server.
final class FaultyDoor: Sendable {
    /// A response that carries this header never reaches the client: its connection closes instead.
    static let closingHeader = "Simulator-Closes-Connection"

    let port: UInt16
    private let host: String
    private let serverPort: UInt16
    private let state: Mutex<State>

    private struct State {
        var listener: Int32?
        var relays: [ObjectIdentifier: Relay] = [:]
    }

    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - serverPort: Of the server on this machine.
    init(host: String, port: UInt16, serverPort: UInt16) throws(SimulatorError) {
        let (listener, bound) = try Self.listen(host: host, port: port)
        self.host = host
        self.port = bound
        self.serverPort = serverPort
        state = Mutex(State(listener: listener))
        accept(on: listener)
    }

    deinit { shut() }

    /// Refuses connections from now on, and breaks those there are.
    func shut() {
        let (listener, relays) = state.withLock { state in
            defer { state = State() }
            return (state.listener, Array(state.relays.values))
        }
        if let listener { shutdown(listener, Int32(SHUT_RDWR)) }  // The accepting thread closes it.
        for relay in relays { relay.cut() }
    }

    /// Takes connections again, at the same port.
    func open() throws(SimulatorError) {
        let (listener, _) = try Self.listen(host: host, port: port)
        state.withLock { $0.listener = listener }
        accept(on: listener)
    }

    private func accept(on listener: Int32) {
        Thread.detachNewThread { [weak self] in
            while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
                guard let self else {
                    close(client)
                    break
                }
                self.relay(client, of: listener)
            }
            close(listener)
        }
    }

    private func relay(_ client: Int32, of listener: Int32) {
        let relay = Relay(client: client, server: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let isOpen = state.withLock { state in
            guard state.listener == listener else { return false }
            state.relays[ObjectIdentifier(relay)] = relay
            return true
        }
        guard isOpen, relay.connect(to: serverPort) else { return forget(relay) }
        for side in Relay.Side.allCases {
            Thread.detachNewThread { [weak self] in
                relay.pump(side)
                relay.cut()
                self?.forget(relay)
            }
        }
    }

    private func forget(_ relay: Relay) { state.withLock { $0.relays[ObjectIdentifier(relay)] = nil } }

    private static func listen(host: String, port: UInt16) throws(SimulatorError) -> (Int32, UInt16) {
        let numeric = host == "localhost" ? "127.0.0.1" : host
        guard var address = ipv4(numeric, port) else {
            throw SimulatorError("\(host) is no IPv4 address. Listen on 127.0.0.1 or 0.0.0.0.")
        }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(&address, { bind(listener, $0, $1) }) == 0, Glibc.listen(listener, SOMAXCONN) == 0 else {
            close(listener)
            throw SimulatorError("\(host):\(port) cannot be listened on. Stop what listens there, or choose another port.")
        }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withAddress(&address) { pointer, _ in getsockname(listener, pointer, &size) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// One connection of a client with its counterpart to the server.
private final class Relay: Sendable {
    enum Side: CaseIterable { case request, response }

    private let client: Int32
    private let server: Int32

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    deinit {
        close(client)
        close(server)
    }

    func connect(to port: UInt16) -> Bool {
        guard var address = ipv4("127.0.0.1", port) else { return false }
        var on: Int32 = 1
        for descriptor in [client, server] {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        return withAddress(&address) { Glibc.connect(server, $0, $1) } == 0
    }

    /// Breaks both connections; whoever waits for bytes of either stops waiting.
    func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    /// Passes bytes on in one direction until either end closes, or a response says that it must not arrive.
    func pump(_ side: Side) {
        let (from, to) = side == .request ? (client, server) : (server, client)
        let mark = Array(FaultyDoor.closingHeader.utf8)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(from, &buffer, buffer.count, 0), count > 0 {
            if side == .response, buffer[..<count].prefix(4096).firstRange(of: mark) != nil { return }
            guard Self.send(buffer[..<count], to: to) else { return }
        }
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(socket, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

private func ipv4(_ host: String, _ port: UInt16) -> sockaddr_in? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    return inet_pton(AF_INET, host, &address.sin_addr) == 1 ? address : nil
}

private func withAddress(_ address: inout sockaddr_in, _ use: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}
