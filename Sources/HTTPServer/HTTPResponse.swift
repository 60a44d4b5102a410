/// One whole response. `Content-Length`, `Date` and what concerns the connection are the server's to add.
package struct HTTPResponse: Sendable {
    /// 200...599; any other is sent as 500.
    package var status: Int
    /// One that cannot be sent, for a bad name or a control character in its value, is left out.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPResponse {
    static func malformed(_ detail: StaticString) -> HTTPResponse {
        problem(400, "Bad Request", code: "malformed", detail: "\(detail)")
    }

    static let timeout = problem(
        408, "Request Timeout", code: "timeout", detail: "The request took too long to arrive. Send it again.")

    /// - Parameter limit: The longest body the server takes, in bytes.
    static func tooLarge(limit: Int) -> HTTPResponse {
        problem(413, "Content Too Large", code: "too-large", detail: "The body is over \(limit) bytes. Send a smaller one.")
    }

    /// - Parameter limit: The longest target the server takes, in bytes.
    static func targetTooLong(limit: Int) -> HTTPResponse {
        problem(414, "URI Too Long", code: "target-too-long", detail: "Path and query are over \(limit) bytes. Send shorter ones.")
    }

    /// - Parameter limit: Of all headers, in bytes.
    static func headersTooLarge(limit: Int) -> HTTPResponse {
        problem(
            431, "Request Header Fields Too Large", code: "headers-too-large",
            detail: "The headers are over \(limit) bytes. Send fewer or shorter ones.")
    }

    /// The server is busy, stopping, or took too long.
    static let unavailable = problem(
        503, "Service Unavailable", code: "unavailable", detail: "The server cannot answer now. Send the request again later.",
        headers: [("Retry-After", "5")])

    /// A problem of RFC 9457. The texts are the server's own and hold nothing that JSON escapes.
    private static func problem(
        _ status: Int, _ title: String, code: String, detail: String, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        let json = #"{"type":"about:blank","title":"\#(title)","status":\#(status),"code":"\#(code)","detail":"\#(detail)"}"#
        return HTTPResponse(
            status: status, headers: [("Content-Type", "application/problem+json")] + headers, body: Array(json.utf8))
    }

    /// The response as sent over a socket by hand, for an answer before the request's end; closes the connection.
    var serialized: [UInt8] {
        let lines = ["HTTP/1.1 \(status) Refused", "Connection: close", "Content-Length: \(body.count)"]
        let head = (lines + headers.map { "\($0.name): \($0.value)" } + ["", ""]).joined(separator: "\r\n")
        return Array(head.utf8) + body
    }
}
