#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A bound socket that listens. Whoever takes the descriptor closes it.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    init(host: String, port: UInt16) throws(HTTPServerError) {
        guard let addresses = unsafe resolve(host, port) else {
            throw HTTPServerError(code: .badAddress, message: "No address of this machine is called \(host). Give a numeric one.")
        }
        defer { unsafe freeaddrinfo(addresses) }
        let address = unsafe addresses.pointee
        let descriptor = unsafe socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { throw failure(errno, host, port) }
        guard unsafe isListening(descriptor, at: address), let bound = boundPort(of: descriptor) else {
            let code = errno
            close(descriptor)
            throw failure(code, host, port)
        }
        self.descriptor = descriptor
        self.port = bound
    }
}

private func resolve(_ host: String, _ port: UInt16) -> UnsafeMutablePointer<addrinfo>? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    return unsafe getaddrinfo(host, String(port), &hints, &found) == 0 ? found : nil
}

private func isListening(_ descriptor: Int32, at address: addrinfo) -> Bool {
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if unsafe address.ai_family == AF_INET6 {
        unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size)
    }
    return unsafe bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 && listen(descriptor, SOMAXCONN) == 0
}

private func boundPort(of descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            guard unsafe getsockname(descriptor, address, &size) == 0 else { return nil }
            // The port is at the same place in an IPv4 and an IPv6 address.
            return unsafe UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_port.bigEndian
        }
    }
}

private func failure(_ code: Int32, _ host: String, _ port: UInt16) -> HTTPServerError {
    switch code {
    case EADDRINUSE:
        HTTPServerError(
            code: .addressInUse, message: "Port \(port) of \(host) is in use. Stop what listens there, or choose another port.")
    case EACCES, EPERM:
        HTTPServerError(
            code: .permission, message: "Listening on port \(port) is not permitted. Choose a port from 1024 on, or grant the right.")
    case EADDRNOTAVAIL, EAFNOSUPPORT:
        HTTPServerError(code: .badAddress, message: "\(host) is no address of this machine. Give one that is, or 0.0.0.0 for all.")
    default:
        HTTPServerError(code: .system, message: "Listening on \(host) port \(port) failed with system error \(code).")
    }
}
