#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address, to tell the public Internet from everything else.
struct PeerAddress: Equatable {
    /// In network order: 4 bytes or 16.
    let bytes: [UInt8]

    /// Reads a numeric address; a name is none.
    init?(_ text: String) {
        // A scope ("fe80::1%eth0") names a network card, not another address.
        let text = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? text
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            guard unsafe inet_pton(family, text, &bytes) == 1 else { continue }
            self.bytes = bytes
            return
        }
        return nil
    }

    /// Copies the address out of a socket address of any family; `nil` unless it is IPv4 or IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = unsafe UnsafeRawPointer(address)
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let address = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        case AF_INET6:
            let address = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        default: return nil
        }
    }

    /// Whether the address belongs to a host on the public Internet: not loopback, private, shared, link-local, unique-local,
    /// multicast, reserved or unspecified. An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4) is judged as IPv4.
    ///
    /// - Source: the IANA special-purpose address registries.
    var isPublic: Bool {
        guard bytes.count == 16 else { return Self.isPublic(ipv4: bytes[...]) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let nat64: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if bytes.starts(with: mapped) || bytes.starts(with: nat64) { return Self.isPublic(ipv4: bytes[12...]) }
        if bytes.starts(with: [0x20, 0x02]) { return Self.isPublic(ipv4: bytes[2..<6]) }
        return bytes[0] & 0xE0 == 0x20  // 2000::/3 holds every global unicast address.
    }

    private static func isPublic(ipv4 bytes: ArraySlice<UInt8>) -> Bool {
        let (first, second, third) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1], bytes[bytes.startIndex + 2])
        switch (first, second, third) {
        case (0, _, _), (10, _, _), (127, _, _): return false  // this network, private, loopback
        case (100, 64...127, _): return false  // shared by a carrier's customers
        case (169, 254, _): return false  // link-local
        case (172, 16...31, _), (192, 168, _): return false  // private
        case (192, 0, 0), (198, 18...19, _): return false  // protocol assignments, benchmarks
        default: return first < 224  // from there on multicast, reserved and broadcast
        }
    }
}
