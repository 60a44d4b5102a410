/// Where an ``HTTPServer`` listens, and what it grants one client.
package struct HTTPServerConfiguration: Sendable {
    /// A certificate chain, the server's own first, and its private key.
    package struct TLS: Sendable {
        package var certificatePEM: String
        package var privateKeyPEM: String

        package init(certificatePEM: String, privateKeyPEM: String) {
            self.certificatePEM = certificatePEM
            self.privateKeyPEM = privateKeyPEM
        }
    }

    /// An address or a name of this machine; `0.0.0.0` or `::` for all of its addresses.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; ``HTTPServer/port`` tells.
    package var port: UInt16 = 0
    /// Threads that read and write sockets. Handlers run in Swift's own pool.
    package var threads = 2
    /// In bytes. A longer body is refused with 413, unread.
    package var maximumBodySize = 1 << 20
    /// In bytes. A longer target is refused with 414.
    package var maximumTargetSize = 8 << 10
    /// In bytes, of all names and values together. More is refused with 431.
    package var maximumHeaderSize = 16 << 10
    /// In bytes, about, for the request line and the headers both ways. What does not even fit in here is refused by the library itself,
    /// with a page in HTML that cannot be replaced.
    package var connectionMemory = 32 << 10
    package var connectionLimit = 4096
    package var perAddressConnectionLimit: Int?
    /// A connection that moves no byte for this long is closed. In whole seconds, rounded up.
    package var idleTimeout: Duration = .seconds(30)
    /// How long the headers of a request may take to arrive, from the connection's opening or the answer before. Then it is closed.
    package var headerDeadline: Duration = .seconds(60)
    /// How long a request with a body may take to arrive (else 408), and then the handler to answer (else 503).
    package var handlerDeadline: Duration = .seconds(30)
    /// The most whole requests not yet answered; one more gets 503 at once.
    package var pendingLimit = 1024
    /// In bytes, of all bodies together; what would pass it gets 503.
    package var bufferedBodyLimit = 256 << 20
    /// `nil` for plain HTTP.
    package var tls: TLS?

    package init() {}
}
