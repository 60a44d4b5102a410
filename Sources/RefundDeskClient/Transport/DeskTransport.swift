import Foundation

/// One HTTP request of the library's.
public struct TransportRequest: Sendable, Equatable {
    public var method: String
    public var url: URL
    public var headers: [String: String]
    public var body: Data?

    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The answer to a ``TransportRequest``.
public struct TransportResponse: Sendable, Equatable {
    public var status: Int
    public var headers: [String: String]
    public var body: Data

    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The case of names does not matter.
    func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name.lowercased() }?.value }
}

/// What sends requests: `URLSession` by default; your framework's client, or a fake in tests.
///
/// It must not follow redirects, since the token would go along, and must have a time limit.
public protocol DeskTransport: Sendable {
    /// - Throws: Anything where there was no whole answer. An answer of any status is returned.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
