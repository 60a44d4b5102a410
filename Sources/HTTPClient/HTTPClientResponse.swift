/// A complete answer; redirects are answers like any other.
package struct HTTPClientResponse: Sendable {
    package var status: Int
    /// In the order received, repeated names included.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// PEM of the certificates that the server showed, its own first; only where the request asked for them.
    package var certificates: [String]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], certificates: [String] = []) {
        self.status = status
        self.headers = headers
        self.body = body
        self.certificates = certificates
    }

    /// The value of the first header of that name, in whatever case either is written.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}
