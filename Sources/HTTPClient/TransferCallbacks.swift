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
        guard !request.allowsPrivateTargets else { return }
        unsafe check(shim_curl_set_open_socket(easy, { context, _, address in unsafe Transfer.at(context).open(address) }, context))
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer {
        guard let context = unsafe context else { preconditionFailure("libcurl lost the context of a callback") }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Takes a piece of the answer's body; any number but `count` ends the transfer.
    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard body.count + count <= request.maximumResponseSize else {
            isTooLarge = true
            return 0
        }
        unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    /// Opens the socket for one of the addresses that the name resolved to, unless the address is not public.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
        guard let address = unsafe address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        // The address is longer than its declared type, so it must not be copied out of the structure.
        let peer = unsafe PeerAddress(UnsafeRawPointer(address).advanced(by: offset).assumingMemoryBound(to: sockaddr.self))
        guard let peer, peer.isPublic else {
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
        if !request.allowsPrivateTargets {
            let peer = unsafe peer.flatMap { unsafe PeerAddress(String(cString: $0)) }
            isBlocked = peer?.isPublic != true
            guard !isBlocked else { return Int32(CURL_PREREQFUNC_ABORT) }
        }
        guard !hasBegun || request.isSafe else { return Int32(CURL_PREREQFUNC_ABORT) }
        hasBegun = true
        return Int32(CURL_PREREQFUNC_OK)
    }
}
