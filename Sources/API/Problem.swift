import AppStore
import HTTPServer

/// What kind of problem an answer tells of: a stable code and the status it is sent with.
package struct ProblemKind: Hashable, Sendable {
    package var status: Int
    package var code: String

    private init(_ status: Int, _ code: String) {
        self.status = status
        self.code = code
    }

    static let malformed = ProblemKind(400, "malformed")
    static let unauthorized = ProblemKind(401, "unauthorized")
    static let forbidden = ProblemKind(403, "forbidden")
    static let notFound = ProblemKind(404, "not-found")
    static let methodNotAllowed = ProblemKind(405, "method-not-allowed")
    static let alreadyAnswered = ProblemKind(409, "already-answered")
    static let windowClosed = ProblemKind(409, "window-closed")
    static let noConsent = ProblemKind(409, "no-consent")
    static let unanswerable = ProblemKind(409, "unanswerable")
    static let notRedrivable = ProblemKind(409, "not-redrivable")
    static let invalid = ProblemKind(422, "invalid")
    static let illegalPreference = ProblemKind(422, "illegal-preference")
    static let consentSource = ProblemKind(422, "consent-source")
    static let unavailable = ProblemKind(503, "unavailable")

    /// What the HTTP server itself answers, whatever was asked.
    static let ofServer = [
        malformed, ProblemKind(408, "timeout"), ProblemKind(413, "too-large"), ProblemKind(414, "target-too-long"),
        ProblemKind(431, "headers-too-large"), unavailable,
    ]

    /// A signed message that can never be valid.
    static func rejected(_ code: VerificationError.Code) -> ProblemKind { ProblemKind(400, code.rawValue) }
    static let rejections = VerificationError.Code.allCases.map(ProblemKind.rejected)
}

/// Why a request was not done, in the form of RFC 9457. The detail says what to do and holds nothing internal.
struct Problem: Error {
    var kind: ProblemKind
    var detail: String
    /// The member or parameter at fault, as `events[3].quantity`.
    var field: String?
    var headers: [(name: String, value: String)] = []

    init(_ kind: ProblemKind, _ detail: String, field: String? = nil, headers: [(name: String, value: String)] = []) {
        self.kind = kind
        self.detail = detail
        self.field = field
        self.headers = headers
    }

    static func invalid(_ field: String, _ detail: String) -> Problem {
        Problem(.invalid, "`\(field)` \(detail)", field: field)
    }

    static let unknownApp = Problem(.notFound, "No such app is configured here: the path names it by its `id` in the configuration.")

    /// Every fault of our own: the same request may succeed in a moment.
    static let unavailable = Problem(
        .unavailable, "The desk cannot reach its database now. Send the same request again later.", headers: [("Retry-After", "5")])
}

extension HTTPResponse {
    init(_ problem: Problem) {
        var json: JSON = [
            "type": "about:blank",
            "title": .string(title(ofStatus: problem.kind.status)),
            "status": JSON(problem.kind.status),
            "code": .string(problem.kind.code),
            "detail": .string(problem.detail),
        ]
        if let field = problem.field { json = json.adding("field", .string(field)) }
        self.init(
            status: problem.kind.status, headers: [("Content-Type", "application/problem+json")] + problem.headers, body: json.bytes)
    }

    init(status: Int = 200, _ json: JSON) {
        self.init(status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: json.bytes)
    }
}

/// HTTP's name of a status; what `about:blank` asks for as a title.
func title(ofStatus status: Int) -> String {
    switch status {
    case 200: "OK"
    case 202: "Accepted"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 422: "Unprocessable Content"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    default: "Status \(status)"
    }
}
