import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where a host's name leads.
package struct HostLookup: Sendable, Hashable {
    /// How many addresses the name has; none where it cannot be resolved.
    package var addressCount: Int
    /// Whether one of them is on the public Internet.
    package var isPublic: Bool

    /// Asks the system's resolver, on a thread of its own.
    package static func resolve(_ host: String) async -> HostLookup {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "refund-desk.host-lookup").async { continuation.resume(returning: HostLookup(resolving: host)) }
        }
    }

    private init(resolving host: String) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let isFound = unsafe getaddrinfo(host.filter { $0 != "[" && $0 != "]" }, nil, &hints, &first) == 0
        defer { if let first = unsafe first { unsafe freeaddrinfo(first) } }
        var addresses: [PeerAddress] = []
        var next = isFound ? unsafe first : nil
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr, let peer = unsafe PeerAddress(address) { addresses.append(peer) }
            unsafe next = entry.pointee.ai_next
        }
        addressCount = addresses.count
        isPublic = addresses.contains(where: \.isPublic)
    }
}
