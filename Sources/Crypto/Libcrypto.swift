import CLibcrypto

/// What concerns libcrypto as a whole.
package enum Libcrypto {
    /// Keeps libcrypto in working order until the process is gone. By itself it tears its tables down as the process exits, while other
    /// threads may still be opening or closing connections, and these would crash. To be called before anything else uses it.
    package static func keepUntilTheEnd() {
        let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        precondition(isReady == 1, "libcrypto cannot be set up")
    }
}
