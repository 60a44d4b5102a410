import Domain
import Foundation
import HTTPClient

/// What came of one HTTP request to the App Store Server API, judged by status first and error code second: codes keep being added.
struct ServerAPIReply: Sendable {
    var kind: SendOutcome.Kind
    /// `nil` where no complete answer came.
    var status: Int?
    /// As received, known or not.
    var errorCode: Int64?
    /// What is wrong and what to do; `nil` if nothing is wrong.
    var explanation: String?
    var retryAfter: Timestamp?
    var clockOffset: Domain.Span?
    var body: [UInt8] = []
}

extension ServerAPIReply {
    init(_ error: HTTPClientError) {
        kind = error.isInDoubt ? .inDoubt : .notSent
        explanation = error.isInDoubt ? "No answer, so Apple may have it or not: \(error.message)" : "Not sent: \(error.message)"
    }

    init(_ response: HTTPClientResponse, of call: ServerAPICall, environment: Environment, at now: Timestamp) {
        let date = response.header("Date").flatMap(HTTPDate.milliseconds)
        clockOffset = date.map { Timestamp(milliseconds: $0) - now }
        retryAfter = response.header("Retry-After").flatMap { RetryAfter.instant($0, at: now) }
        status = response.status
        body = response.body
        let error = Self.errorBody(of: response)
        errorCode = error?.errorCode
        kind = Self.kind(status: response.status, code: error?.errorCode)
        switch kind {
        case .accepted: explanation = nil
        case .unauthorized: explanation = Self.unauthorized(response.body, environment, clockOffset)
        default: explanation = Self.explanation(status: response.status, error, call)
        }
    }

    /// - Source: Error codes; 4040010 is not called retryable by Apple, but a fresh notification may run ahead of the API.
    static func kind(status: Int, code: Int64?) -> SendOutcome.Kind {
        switch status {
        case 200..<300: .accepted
        case 401: .unauthorized
        case 429: .rateLimited
        case 404 where code == 4_040_010: .notFound
        case 400..<500: code.flatMap { ServerAPIErrorCode[$0] }?.isRetryable == true ? .serverFault : .refused
        default: .serverFault
        }
    }

    /// Apple's error body; `nil` for plain text, which comes with a 401, and for whatever stands between.
    private static func errorBody(of response: HTTPClientResponse) -> APIErrorBody? {
        guard !(200..<300).contains(response.status) else { return nil }
        return try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body))
    }

    private static func explanation(status: Int, _ error: APIErrorBody?, _ call: ServerAPICall) -> String {
        guard let code = error?.errorCode else { return withoutCode(status) }
        if let known = ServerAPIErrorCode[code] { return known.description }
        let said = error?.errorMessage.map { "Apple says: \($0.prefix(200))" } ?? "Apple gives no message"
        guard status == 400, call.family == .answers else { return "Unknown error \(code) (HTTP \(status)). \(said)" }
        let candidates = ServerAPIErrorCode.consumptionWithoutNumber.map { "\($0.name ?? "") (\($0.meaning))" }.joined(separator: ", ")
        return "Unknown error \(code). \(said). Apple names errors without their numbers; this may be one of them: \(candidates)"
    }

    private static func withoutCode(_ status: Int) -> String {
        switch status {
        case 300..<400: "HTTP \(status): a redirect, which Apple does not send. Check the API's URL and proxies on the way."
        case 400: "HTTP 400 without an error code: the request is malformed. Report it."
        case 404: "HTTP 404 without an error code: this is not the App Store Server API. Check the API's URL."
        case 429: "HTTP 429: more requests than Apple allows this app. Nothing to do: the desk waits."
        case 500...: "HTTP \(status) without an error code: a fault at Apple or on the way. Nothing to do: the desk tries again."
        default: "HTTP \(status) without an error code. Check the API's URL and proxies on the way."
        }
    }

    /// An app without a release in the App Store gets 401 with an empty body from production.
    private static func unauthorized(_ body: [UInt8], _ environment: Environment, _ offset: Domain.Span?) -> String {
        let isEmpty = body.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let cause = isEmpty && environment == .production ? "not authorised (key, or app not released)" : "not authorised"
        var remedy = "Check that the key is an In-App Purchase key of the app's team and not revoked, and keyId, issuerId and bundleId"
        if let offset, abs(offset.milliseconds) >= 60_000 {
            let direction = offset.milliseconds > 0 ? "behind" : "ahead of"
            remedy = "The clock here is \(abs(offset.milliseconds) / 1000) s \(direction) Apple's: set it. Else: " + remedy
        }
        return "HTTP 401: \(cause). \(remedy)."
    }
}
