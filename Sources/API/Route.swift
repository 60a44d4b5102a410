import HTTPServer
import Store

/// One method on one path: who may call it, what it does, and how it is described.
struct Route: Sendable {
    typealias Handler = @Sendable (DeskAPI) -> @Sendable (Call) async throws(Problem) -> HTTPResponse

    enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }
    enum Access: Sendable, Hashable {
        /// No token: what is told is no secret, or a signature is the proof.
        case open
        case token(TokenRow.Scope)
    }
    var method: Method
    var path: PathPattern
    var access: Access
    var operation: Operation
    var handler: Handler
}

extension Route {
    /// Reading needs a token of scope `read`.
    static func get(_ path: PathPattern, _ operation: Operation, access: Access = .token(.read), _ handler: @escaping Handler) -> Route {
        Route(method: .get, path: path, access: access, operation: operation, handler: handler)
    }
    /// Changing needs a token of scope `write`.
    static func put(_ path: PathPattern, _ operation: Operation, _ handler: @escaping Handler) -> Route {
        Route(method: .put, path: path, access: .token(.write), operation: operation, handler: handler)
    }
    /// As ``put(_:_:_:)``.
    static func post(_ path: PathPattern, _ operation: Operation, access: Access = .token(.write), _ handler: @escaping Handler) -> Route {
        Route(method: .post, path: path, access: access, operation: operation, handler: handler)
    }
}

/// A path with named segments: `/v1/apps/{app}/cases/{transactionId}`.
struct PathPattern: Sendable, Hashable, ExpressibleByStringLiteral {
    fileprivate enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }
    let text: String
    private let segments: [Segment]

    init(stringLiteral text: String) {
        self.text = text
        segments = text.split(separator: "/").map { segment in
            segment.hasPrefix("{") ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// Names of the parameters, in the order of the path.
    var parameters: [String] {
        segments.compactMap { segment in if case .parameter(let name) = segment { name } else { nil } }
    }

    /// - Returns: The parameters' values; nil where the path is another.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count, zip(segments, path).allSatisfy({ $0.admits($1) }) else { return nil }
        var values: [String: String] = [:]
        for case (.parameter(let name), let text) in zip(segments, path) { values[name] = text }
        return values
    }
}

extension PathPattern.Segment {
    fileprivate func admits(_ text: String) -> Bool {
        switch self {
        case .literal(let literal): literal == text
        case .parameter: true
        }
    }
}
