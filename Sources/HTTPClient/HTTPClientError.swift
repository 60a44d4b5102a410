/// Why a request brought no complete answer.
package struct HTTPClientError: Error, Sendable {
    package enum Code: Sendable {
        /// Not an absolute `http` or `https` URL.
        case badURL
        /// A method or header that HTTP cannot carry.
        case badHeader
        /// No connection in time: not resolved, refused, or TLS failed. The request never left.
        case notSent
        /// The time ran out after the request may have left.
        case timedOut
        /// The connection broke after the request may have left, or what came back was not HTTP.
        case interrupted
        /// The peer is this machine or in a private network, and the request does not allow that. The request never left.
        case blockedTarget
        /// The answer is longer than the request allows.
        case responseTooLarge
        /// The task was cancelled or the client closed.
        case cancelled
    }
    package var code: Code
    /// For the operator. Names the host at most: paths and queries hold secrets of webhooks and bots.
    package var message: String
    /// Whether the server may have received the request. A repeat must then be the same, byte for byte.
    package var isInDoubt: Bool

    package init(_ code: Code, _ message: String, isInDoubt: Bool = false) {
        self.code = code
        self.message = message
        self.isInDoubt = isInDoubt
    }
}

extension HTTPClientError: CustomStringConvertible {
    package var description: String { message }
}
