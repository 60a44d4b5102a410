import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends by `URLSession`: no redirects, no cookies, no cache.
public struct URLSessionTransport: DeskTransport {
    private let owned: OwnedSession

    /// - Parameter timeout: In seconds, of one attempt.
    public init(timeout: TimeInterval = 15) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        owned = OwnedSession(URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil))
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var wire = URLRequest(url: request.url)
        wire.httpMethod = request.method
        wire.httpBody = request.body
        for (name, value) in request.headers { wire.setValue(value, forHTTPHeaderField: name) }
        let (body, answer) = try await owned.session.data(for: wire)
        guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var headers: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { headers["\(name)"] = "\(value)" }
        return TransportResponse(status: answer.statusCode, headers: headers, body: body)
    }
}

/// A session keeps its delegate, and itself, until it is invalidated: this one is as soon as no transport holds it.
private final class OwnedSession: Sendable {
    let session: URLSession
    init(_ session: URLSession) { self.session = session }
    deinit { session.finishTasksAndInvalidate() }
}

/// The redirect itself becomes the answer.
private final class NoRedirects: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
