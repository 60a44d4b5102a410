import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// What an exchange reads from its connection, and what it sends. All for the daemon's thread.
extension Exchange {
    /// Takes method, headers and peer into `request`.
    ///
    /// - Parameter version: As in the request line, whose last word it is.
    func readHead(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>?) {
        request.method = unsafe String(cString: method)
        unsafe readVersion(version)
        request.remoteAddress = unsafe mhd_peer(connection).flatMap { unsafe numericAddress($0) } ?? ""
        unsafe withUnsafeMutablePointer(to: &request.headers) { headers in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, appendHeader, headers)
        }
    }

    /// The library ends the target at a NUL and goes on: the version then begins further behind than at the next word.
    private func readVersion(_ version: UnsafePointer<CChar>?) {
        guard let version = unsafe version else { return }
        isHTTP11 = unsafe strcmp(version, "HTTP/1.1") == 0
        let gap = Int(bitPattern: version) - targetEnd
        hidesPartOfTarget = gap > 1 && gap < 1 << 20
    }

    /// Queues a response.
    func queue(_ response: HTTPResponse, closes: Bool) -> MHD_Result {
        phase = .answered
        let message = unsafe response.body.withUnsafeBytes { body in
            unsafe MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let message = unsafe message else { return .NO }
        defer { unsafe MHD_destroy_response(message) }
        for (name, value) in response.headers where isSendable(name, value) {
            _ = unsafe MHD_add_response_header(message, name, value)
        }
        if closes { _ = unsafe MHD_add_response_header(message, "Connection", "close") }
        let status = 200...599 ~= response.status ? response.status : 500
        return unsafe MHD_queue_response(connection, UInt32(status), message)
    }

    /// Sends a response past the daemon, which must close the connection then. Not under TLS.
    func sendByHand(_ response: HTTPResponse) {
        let bytes = response.serialized
        // No response is under way on this connection, so the socket's buffer takes these few bytes at once.
        _ = unsafe bytes.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}

private let appendHeader: MHD_KeyValueIteratorN = { headers, _, name, nameSize, value, valueSize in
    guard let headers = unsafe headers else { return .YES }
    unsafe headers.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
        .append((text(name, nameSize), text(value, valueSize)))
    return .YES
}

/// With whatever NUL is in it.
private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
}

private func numericAddress(_ address: UnsafePointer<sockaddr>) -> String? {
    let raw = unsafe UnsafeRawPointer(address)
    let family = unsafe Int32(address.pointee.sa_family)
    guard family == AF_INET || family == AF_INET6 else { return nil }
    // Where `sin_addr` and `sin6_addr` are.
    let number = unsafe raw + (family == AF_INET ? 4 : 8)
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer -> String? in
        guard let base = buffer.baseAddress else { return nil }
        return unsafe inet_ntop(family, number, base, socklen_t(INET6_ADDRSTRLEN)).map { unsafe String(cString: $0) }
    }
    let mapped = "::ffff:"
    return text.map { $0.hasPrefix(mapped) && $0.contains(".") ? String($0.dropFirst(mapped.count)) : $0 }
}

/// Whether a header can be sent as it is: a token for a name, no control character in the value, and none the server sets itself.
private func isSendable(_ name: String, _ value: String) -> Bool {
    let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    guard isName, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return false }
    return !isSameHeader(name, "Content-Length") && !isSameHeader(name, "Transfer-Encoding")
}
