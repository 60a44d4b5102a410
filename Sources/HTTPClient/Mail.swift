/// One mail over SMTP, sent at most once.
package struct Mail: Sendable {
    package let server: MailServer
    /// The envelope's addresses, without names and brackets.
    package var sender: String
    package var recipient: String
    /// The whole message as RFC 5322 writes it, its lines ended by CR LF. Dots at the beginning of a line are doubled on the way.
    package var message: [UInt8]
    /// From the call to the server's last word. A connection must stand within 5 s of it.
    package var timeout: Duration
    /// Whether the server may be this machine or in a private network. Judged by the address connected to, not by the name.
    package let allowsPrivateTargets: Bool
    /// A password never crosses the Internet unencrypted.
    var security: Security

    package init(
        server: MailServer, sender: String, recipient: String, message: [UInt8], timeout: Duration = .seconds(20),
        allowsPrivateTargets: Bool
    ) {
        self.server = server
        self.sender = sender
        self.recipient = recipient
        self.message = message
        self.timeout = timeout
        self.allowsPrivateTargets = allowsPrivateTargets
        security = Security(to: server, allowsPrivateTargets: allowsPrivateTargets)
    }
}

extension Mail {
    /// Whether the connection is encrypted, and by whose word.
    enum Security: Sendable, Hashable {
        /// TLS with a certificate for the server's name, or nothing is sent.
        case required
        /// TLS where the server offers it; a certificate must then be good.
        case offered
        /// TLS where the server offers it, whatever its certificate: plain text would do as well. Only to private addresses.
        case privateNetwork

        init(to server: MailServer, allowsPrivateTargets: Bool) {
            if allowsPrivateTargets, server.isPrivateByName {
                self = .privateNetwork
            } else {
                self = server.user != nil || server.isImplicitTLS ? .required : .offered
            }
        }
    }

    /// Refuses addresses that could carry more than an address into the dialogue with the server.
    func checkAddresses() throws(HTTPClientError) {
        for address in [sender, recipient] {
            let isPlain = address.utf8.contains(UInt8(ascii: "@")) && address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            guard isPlain, !address.contains(where: { "<>,\"".contains($0) }) else {
                throw HTTPClientError(.badHeader, "A mail address is not of the form name@domain.")
            }
        }
    }
}
