import Foundation

/// Why a call was not done, and what to do about it.
public struct RefundDeskError: Error, Sendable, Equatable {
    public enum Code: String, Sendable {
        /// No answer: the desk is not reachable, or too slow. Whether the request was done is not known; repeating it is safe.
        case unreachable
        /// The desk answers, but cannot work now.
        case unavailable
        /// Something before the desk limits requests.
        case rateLimited
        /// The token is missing, wrong or revoked.
        case unauthorized
        /// The token's scope does not reach: recording needs `write`.
        case forbidden
        /// No such app, customer or thing.
        case notFound
        /// The request is wrong; ``RefundDeskError/field`` names the member.
        case invalid
        /// A consent must not come from App Tracking Transparency.
        case consentSource
        /// The state of things forbids it.
        case conflict
        /// More than the desk takes at once.
        case tooLarge
        /// A later consent or withdrawal of the same customer overtook this call.
        case superseded
        /// The ``UsageReporter`` holds as many events as it may.
        case bufferFull
        /// An answer that is none of a desk's: another server, a proxy, or a much newer desk.
        case unexpectedAnswer
        /// A signed transaction that Apple did not sign, or that is damaged.
        case rejected
    }
    public var code: Code
    /// What to do, in words, for whoever reads the log. Holds no token and no body.
    public var detail: String
    /// The member or parameter at fault, such as `events[3].quantity`.
    public var field: String?
    /// HTTP's status; nil where there was no answer.
    public var status: Int?
    /// The desk's own stable code, such as `not-found`.
    public var deskCode: String?
    /// When the desk wants to be asked again, in seconds from the answer.
    public var retryAfter: TimeInterval?

    /// Whether the same call may succeed later, unchanged.
    public var isRetryable: Bool {
        switch code {
        case .unreachable, .unavailable, .rateLimited, .bufferFull: true
        default: false
        }
    }
}

extension RefundDeskError: CustomStringConvertible, LocalizedError {
    public var description: String {
        let told = [status.map { "HTTP \($0)" }, deskCode, field.map { "field \($0)" }].compactMap { $0 }
        return "\(code.rawValue)\(told.isEmpty ? "" : " (\(told.joined(separator: ", ")))"): \(detail)"
    }
    public var errorDescription: String? { description }
}

extension RefundDeskError {
    static func invalid(_ field: String, _ detail: String) -> RefundDeskError {
        RefundDeskError(code: .invalid, detail: "`\(field)` \(detail)", field: field)
    }

    static let superseded = RefundDeskError(
        code: .superseded,
        detail: "A later consent or withdrawal of the same customer has begun. Nothing is to be done: the later one counts.")

    static func bufferFull(_ capacity: Int) -> RefundDeskError {
        RefundDeskError(
            code: .bufferFull,
            detail: "\(capacity) events wait to be sent, as many as may. The desk does not take them, or `run()` is not running.")
    }

    static func unreachable(_ error: any Error) -> RefundDeskError {
        RefundDeskError(
            code: .unreachable,
            detail: "The desk gave no answer (\(reason(of: error))). Is it running, and are host, port and certificate right?")
    }

    /// Only kind and number: an error's text may hold the URL, and with it a customer's name.
    private static func reason(of error: any Error) -> String {
        if let error = error as? URLError { return "URLError \(error.code.rawValue)" }
        return "\(type(of: error))"
    }

    static func unexpected(_ status: Int?, _ detail: String) -> RefundDeskError {
        RefundDeskError(code: .unexpectedAnswer, detail: detail, status: status)
    }
}
