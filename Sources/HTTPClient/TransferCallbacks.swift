import CLibcurl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// libcurl's questions during a transfer; each gets the `Transfer` as its context, which outlives its handle's use.
extension Transfer {
    func configureCallbacks() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe check(
            shim_curl_set_write(easy, { bytes, size, count, context in unsafe Transfer.at(context).receive(bytes, size * count) }, context))
        unsafe check(
            shim_curl_set_prerequest(easy, { context, peer, _, _, _ in unsafe Transfer.at(context).mayBegin(with: peer) }, context))
        guard isAddressJudged else { return }
        unsafe check(shim_curl_set_open_socket(easy, { context, _, address in unsafe Transfer.at(context).open(address) }, context))
    }

    /// Addresses are judged before a socket opens where private ones are barred, and where a mail trusts that its server is near.
    private var isAddressJudged: Bool { !work.allowsPrivateTargets || mail?.security == .privateNetwork }

    private func admits(_ peer: PeerAddress?) -> Bool {
        guard let peer else { return false }
        return work.allowsPrivateTargets ? !peer.isPublic : peer.isPublic
    }

    /// Hands over the next piece of a mail.
    static func read(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        let transfer = unsafe Transfer.at(context)
        guard let mail = transfer.mail, let bytes = unsafe bytes else { return 0 }
        let count = min(capacity, mail.message.count - transfer.readCount)
        let target = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
        unsafe target.copyBytes(from: mail.message[transfer.readCount..<transfer.readCount + count])
        transfer.readCount += count
        return count
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context = unsafe context else { preconditionFailure("libcurl lost the context of a callback") }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Takes a piece of the answer's body; any number but `count` ends the transfer.
    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard body.count + count <= work.maximumResponseSize else {
            isTooLarge = true
            return 0
        }
        unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    /// Opens the socket for one of the addresses that the name resolved to, unless that is none of those allowed.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
        guard let address = unsafe address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        // The address is longer than its declared type, so it must not be copied out of the structure.
        let peer = unsafe PeerAddress(UnsafeRawPointer(address).advanced(by: offset).assumingMemoryBound(to: sockaddr.self))
        guard admits(peer) else {
            isBlocked = true
            return -1
        }
        return unsafe socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    }

    /// Decides, with the connection standing, whether the request is written to it.
    ///
    /// A connection may have been opened for a request that allows private targets, so its peer is judged again. And libcurl by itself
    /// repeats a request whose reused connection closed before an answer: that is left to the caller unless a repeat is harmless.
    private func mayBegin(with peer: UnsafeMutablePointer<CChar>?) -> Int32 {
        if isAddressJudged {
            isBlocked = !admits(unsafe peer.flatMap { unsafe PeerAddress(String(cString: $0)) })
            guard !isBlocked else { return Int32(CURL_PREREQFUNC_ABORT) }
        }
        guard !hasBegun || work.isSafe else { return Int32(CURL_PREREQFUNC_ABORT) }
        hasBegun = true
        return Int32(CURL_PREREQFUNC_OK)
    }
}
