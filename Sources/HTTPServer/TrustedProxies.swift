/// Proxies that are believed about whom they speak for. Everybody else is taken for the client.
package struct TrustedProxies: Hashable, Sendable {
    package var blocks: [AddressBlock]

    package init(_ blocks: [AddressBlock]) { self.blocks = blocks }

    /// Those on this machine.
    package static let local = TrustedProxies(["127.0.0.1", "::1"].compactMap { AddressBlock($0) })

    /// Who asks: the peer, or, where that is a trusted proxy, the last address of `X-Forwarded-For` that is none.
    ///
    /// Each proxy adds whom it heard at the end. So what stands before the last stranger may be that one's invention, and what is no address
    /// ends the search: then no more is known than who wrote it.
    ///
    /// - Returns: nil where the peer has no address.
    package func client(of request: HTTPRequest) -> IPAddress? {
        guard var known = IPAddress(request.remoteAddress) else { return nil }
        guard isTrusted(known) else { return known }
        var entries = request.headers.filter { isSameHeader($0.name, "X-Forwarded-For") }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
        while isTrusted(known), let entry = entries.popLast(), let named = IPAddress(forwarded: trimmed(entry)) { known = named }
        return known
    }

    private func isTrusted(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }
}

/// Without spaces and tabs around it.
private func trimmed(_ text: Substring) -> Substring {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    let start = text.drop(while: isSpace)
    return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? ""
}
