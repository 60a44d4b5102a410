/// One HTTP request, sent at most once.
package struct HTTPClientRequest: Sendable {
    package var method: String
    /// An absolute `http` or `https` URL; what is not ASCII or not allowed in a URL is percent-encoded already.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// `nil` sends no body; POST and PUT then announce a length of zero.
    package var body: [UInt8]?
    /// From the call to the last byte of the answer, waiting for a free connection included. A connection must stand within 5 s of it.
    package var timeout: Duration
    /// In bytes; a longer body ends the transfer with ``HTTPClientError/Code/responseTooLarge``.
    package var maximumResponseSize: Int
    /// Whether the peer may be this machine or a private network. Judged by the address connected to, not by the name.
    package var allowsPrivateTargets: Bool
    /// Whether the answer shall tell the server's certificates.
    package var wantsCertificates: Bool

    package init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(15), maximumResponseSize: Int = 4 << 20, allowsPrivateTargets: Bool,
        wantsCertificates: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponseSize = maximumResponseSize
        self.allowsPrivateTargets = allowsPrivateTargets
        self.wantsCertificates = wantsCertificates
    }
}

extension HTTPClientRequest {
    /// Whether the method, by its definition, changes nothing at the server, so that a repeat is harmless.
    var isSafe: Bool { method == "GET" || method == "HEAD" }

    /// Refuses what could not be written as one well-formed HTTP request.
    func checkHeaders() throws(HTTPClientError) {
        guard Self.isToken(method) else { throw HTTPClientError(.badHeader, "The method is no HTTP token.") }
        for (name, value) in headers {
            guard Self.isToken(name) else { throw HTTPClientError(.badHeader, "A header's name is no HTTP token.") }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw HTTPClientError(.badHeader, "The value of \(name) contains a line break or another control character.")
            }
        }
    }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
