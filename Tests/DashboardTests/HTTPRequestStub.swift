import HTTPServer

enum HTTPRequestStub {
    static func post(_ body: String, headers: [(name: String, value: String)] = []) -> HTTPRequest {
        HTTPRequest(method: "POST", headers: headers, body: Array(body.utf8))
    }
}
