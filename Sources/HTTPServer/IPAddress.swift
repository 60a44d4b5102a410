#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A numeric IPv4 or IPv6 address. IPv4 inside IPv6 is IPv4.
package struct IPAddress: Hashable, Sendable {
    /// In network order: 4 or 16.
    package let bytes: [UInt8]

    /// Reads an address alone: no port, no brackets, no space. A scope (`fe80::1%eth0`) is left out, as it names a network card.
    package init?(_ text: some StringProtocol) {
        let address = text.prefix { $0 != "%" }
        // A C string would end at a NUL.
        guard (2...45).contains(address.utf8.count), address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            guard unsafe inet_pton(family, String(address), &bytes) == 1 else { continue }
            self.bytes = bytes.starts(with: IPAddress.mapped) ? Array(bytes[12...]) : bytes
            return
        }
        return nil
    }

    /// Where IPv4 stands inside IPv6.
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// As a proxy writes it into `X-Forwarded-For`: some add the port, and put an IPv6 address into brackets.
    package init?(forwarded text: some StringProtocol) {
        if let address = IPAddress(text) {
            self = address
        } else if text.first == "[", let bracket = text.lastIndex(of: "]") {
            guard isPort(text[text.index(after: bracket)...]) else { return nil }
            self.init(text[..<bracket].dropFirst())
        } else {
            guard let colon = text.lastIndex(of: ":"), isPort(text[colon...]) else { return nil }
            self.init(text[..<colon])
            // In IPv6 without brackets a port could not be told from a part of the address.
            guard bytes.count == 4 else { return nil }
        }
    }

    /// Whom one counts by: an IPv4 address, or the first half of an IPv6 address, which a host has to itself.
    package var host: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}

/// Nothing, or a colon and a number.
private func isPort(_ text: some StringProtocol) -> Bool {
    text.isEmpty || text.first == ":" && (1...5).contains(text.dropFirst().utf8.count) && text.dropFirst().utf8.allSatisfy(isDigit)
}

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

/// Addresses that begin alike: `10.0.0.0/8`, or one address by itself.
package struct AddressBlock: Hashable, Sendable {
    let bytes: [UInt8]
    /// How many bits count.
    package let length: Int

    /// Reads an address, or a block as `address/length`; nil where it is neither, or bits are set that do not count.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.contains("%"), let address = IPAddress(first) else { return nil }
        let most = address.bytes.count * 8
        guard let length = parts.count == 1 ? most : AddressBlock.length(parts[1]), length <= most,
            (length..<most).allSatisfy({ !address.bytes.hasBit($0) })
        else { return nil }
        bytes = address.bytes
        self.length = length
    }

    private static func length(_ text: some StringProtocol) -> Int? {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit) ? Int(text) : nil
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == bytes.count && (0..<length).allSatisfy { bytes.hasBit($0) == address.bytes.hasBit($0) }
    }
}

extension [UInt8] {
    fileprivate func hasBit(_ index: Int) -> Bool { self[index / 8] & (0x80 >> (index % 8)) != 0 }
}
