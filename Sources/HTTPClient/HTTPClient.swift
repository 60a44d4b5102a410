/// Sends HTTP requests over libcurl: kept connections, HTTP/2 where TLS offers it, no redirects, no decompression.
package final class HTTPClient: Sendable {
    private let loop: TransferLoop
    let options: TransferOptions

    /// - Parameters:
    ///   - userAgent: Sent with each request.
    ///   - maximumConnections: In all; further requests wait, within their time limit.
    ///   - perHostConnections: To one host and port.
    ///   - usesEnvironmentProxies: Whether `http_proxy`, `https_proxy` and `no_proxy` count. The peer that
    ///     `allowsPrivateTargets` judges is then the proxy.
    package init(userAgent: String, maximumConnections: Int = 32, perHostConnections: Int = 8, usesEnvironmentProxies: Bool = false) {
        let options = TransferOptions(userAgent: userAgent, usesEnvironmentProxies: usesEnvironmentProxies)
        self.options = options
        self.loop = TransferLoop(options: options, maximumConnections: maximumConnections, perHostConnections: perHostConnections)
    }

    deinit { loop.close() }

    /// Sends one request and waits for the whole answer, of whatever status.
    ///
    /// The request is written at most once, but for GET and HEAD, which libcurl repeats where a kept connection turns out to be closed.
    /// Cancelling the task aborts the transfer.
    /// - Throws: ``HTTPClientError``; its `isInDoubt` says whether the server may have received the request.
    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let target = try RequestTarget(url: request.url)
        try request.checkHeaders()
        // Of a task that is cancelled already nothing leaves the machine.
        if Task.isCancelled { throw HTTPClientError(.cancelled, "the request was cancelled") }
        let id = loop.nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { completion in
                loop.start(id, request, to: target, completion: completion)
                // A cancellation before this point met no transfer.
                if Task.isCancelled { loop.cancel(id) }
            }
        } onCancel: {
            loop.cancel(id)
        }
        return try result.get()
    }

    /// Ends what is running with ``HTTPClientError/Code/cancelled`` and refuses what comes later.
    package func close() { loop.close() }
}
