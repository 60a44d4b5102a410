/// Carries requests and mails to where they go: ``HTTPClient`` over the network, a simulation over a network of its own making.
package protocol Transport: Sendable {
    /// As of ``HTTPClient/send(_:)-(HTTPClientRequest)``.
    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse
    /// As of ``HTTPClient/send(_:)-(Mail)``.
    func send(_ mail: Mail) async throws(HTTPClientError) -> (reply: Int, words: String)
}

extension HTTPClient: Transport {}
