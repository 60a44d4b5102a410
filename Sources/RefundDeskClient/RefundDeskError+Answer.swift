import Foundation

extension RefundDeskError {
    /// What an answer other than success says.
    ///
    /// - Parameter now: For a `Retry-After` that is a date.
    init(_ answer: TransportResponse, at now: Date) {
        let problem = try? JSONDecoder().decode(Problem.self, from: answer.body)
        let code = RefundDeskError.code(status: answer.status, deskCode: problem?.code)
        self.init(
            code: code, detail: problem?.detail ?? RefundDeskError.detail(for: code, status: answer.status), field: problem?.field,
            status: answer.status, deskCode: problem?.code, retryAfter: answer.retryAfter(at: now))
    }

    private static func code(status: Int, deskCode: String?) -> Code {
        switch (status, deskCode) {
        case (422, "consent-source"): .consentSource
        case (400, let code?) where code != "malformed": .rejected
        case (400, _), (414, _), (422, _), (431, _): .invalid
        case (401, _): .unauthorized
        case (403, _): .forbidden
        case (404, _): .notFound
        case (408, _): .unreachable
        case (409, _): .conflict
        case (413, _): .tooLarge
        case (429, _): .rateLimited
        case (500..., _): .unavailable
        default: .unexpectedAnswer
        }
    }

    /// Where no desk but a proxy speaks.
    private static func detail(for code: Code, status: Int) -> String {
        switch code {
        case .unavailable: "The desk, or the proxy before it, is not available now. Send the same request again later."
        case .rateLimited: "A proxy before the desk limits requests. Send the same request again later."
        case .unexpectedAnswer where 300..<400 ~= status: "A redirect, which a desk never sends: give the desk's own address as `url`."
        default: "An answer without a desk's explanation. Is `url` the desk's own address?"
        }
    }
}

/// - Source: RFC 9457, with the desk's `code` and `field`.
private struct Problem: Decodable {
    var code: String
    var detail: String
    var field: String?
}

extension TransportResponse {
    /// - Source: RFC 9110, 10.2.3: seconds, or a date.
    func retryAfter(at now: Date) -> TimeInterval? {
        guard let text = header("Retry-After")?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = Int64(text) { return seconds < 0 ? nil : TimeInterval(seconds) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
    }
}
