import Foundation

extension RefundDesk {
    typealias Attempt = @Sendable () async throws -> TransportResponse

    func get<Answer: Decodable>(_ path: [String], query: [URLQueryItem] = [], as: Answer.Type) async throws -> Answer {
        try decode(Answer.self, from: try await send(try request("GET", path, query: query)))
    }

    func request(_ method: String, _ path: [String], query: [URLQueryItem] = []) throws -> TransportRequest {
        TransportRequest(
            method: method, url: try url(path, query), headers: ["Authorization": "Bearer \(token)", "Accept": "application/json"])
    }

    func request(_ method: String, _ path: [String], body: some Encodable) throws -> TransportRequest {
        var request = try request(method, path)
        request.headers["Content-Type"] = "application/json"
        request.body = try JSONEncoder().encode(body)
        return request
    }

    /// Sends a request, and again where that may help.
    ///
    /// - Parameter around: Runs each attempt.
    /// - Throws: The last attempt's error.
    func send(
        _ request: TransportRequest, around: (_ attempt: Attempt) async throws -> TransportResponse = { try await $0() }
    ) async throws -> TransportResponse {
        var made = 0
        while true {
            do {
                return try await around { try await attempt(request) }
            } catch let error as RefundDeskError {
                made += 1
                guard let wait = retries.wait(after: error, made: made, draw: time.draw()) else { throw error }
                try await time.sleep(seconds: wait)
            }
        }
    }

    private func attempt(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let answer: TransportResponse
        do { answer = try await transport.send(request) } catch {
            // What a transport makes of a cancelled task differs.
            try Task.checkCancellation()
            throw RefundDeskError.unreachable(error)
        }
        guard 200..<300 ~= answer.status else { throw RefundDeskError(answer, at: time.now()) }
        return answer
    }

    func decode<Answer: Decodable>(_ type: Answer.Type, from answer: TransportResponse) throws -> Answer {
        do { return try DeskJSON.decoder().decode(type, from: answer.body) } catch {
            throw RefundDeskError.unexpected(
                answer.status, "An answer that is none of a desk's. Is `url` the desk's own address, and this library as new as the desk?")
        }
    }

    private func url(_ path: [String], _ query: [URLQueryItem]) throws -> URL {
        var parts = URLComponents(url: base, resolvingAgainstBaseURL: false)
        let root = (parts?.percentEncodedPath ?? "").split(separator: "/").map(String.init)
        parts?.percentEncodedPath = "/" + (root + ["v1", "apps", app] + path).joined(separator: "/")
        let ledger = environment == .production ? [] : [URLQueryItem(name: "environment", value: environment.rawValue)]
        parts?.queryItems = query.isEmpty && ledger.isEmpty ? nil : query + ledger
        guard let url = parts?.url else { throw RefundDeskError.invalid("url", "cannot be built upon.") }
        return url
    }

    /// A name as one segment of a path.
    func segment(_ text: String, _ field: String, atMost limit: Int) throws -> String {
        try check(text, field, atMost: limit)
        guard let escaped = text.addingPercentEncoding(withAllowedCharacters: .unreserved) else {
            throw RefundDeskError.invalid(field, "cannot be written in a URL.")
        }
        // A path that holds one of these is taken for another path on its way.
        return escaped == "." ? "%2E" : escaped == ".." ? "%2E%2E" : escaped
    }

    /// The desk's own limits of texts, so that a mistake is told where it was made.
    func check(_ text: String, _ field: String, atMost limit: Int) throws {
        guard !text.isEmpty, text.unicodeScalars.count <= limit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw RefundDeskError.invalid(field, "must have 1 to \(limit) characters, and no control characters.")
        }
    }
}

extension CharacterSet {
    /// - Source: RFC 3986, 2.3.
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// JSON as a desk writes it: dates are milliseconds since the epoch.
enum DeskJSON {
    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }
}

func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1_000).rounded()) }
