import Domain
import HTTPClient

/// Posts notifications as Apple does.
package struct NotificationSender: Sendable {
    private let client: HTTPClient
    private let timeout: Duration

    package init(client: HTTPClient, timeout: Duration = .seconds(15)) {
        self.client = client
        self.timeout = timeout
    }

    /// How a post ended: the status, or nil where none came, and the answer's body.
    package struct Outcome: Sendable {
        package var status: Int?
        package var body: [UInt8] = []
        /// In Apple's words, such as `SUCCESS`.
        package var result: String
    }

    package func post(_ body: [UInt8], to url: String) async -> Outcome {
        let request = HTTPClientRequest(
            method: "POST", url: url, headers: [("Content-Type", "application/json")], body: body, timeout: timeout,
            allowsPrivateTargets: true)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            let isSuccess = (200...206).contains(response.status)
            return Outcome(
                status: response.status, body: response.body, result: isSuccess ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
        } catch {
            return Outcome(result: Self.result(of: error))
        }
    }

    /// - Source: sendAttemptResult.
    private static func result(of error: HTTPClientError) -> String {
        switch error.code {
        case .timedOut: "TIMED_OUT"
        case .notSent: "NO_RESPONSE"
        case .interrupted: "PREMATURE_CLOSE"
        case .responseTooLarge: "INVALID_RESPONSE"
        case .badURL, .badHeader, .blockedTarget, .cancelled: "OTHER"
        }
    }

    /// How long after a failed attempt the next one follows; nil after the last.
    ///
    /// - Parameter attempts: Made so far.
    /// - Source: Responding to App Store Server Notifications.
    package static func wait(after attempts: Int, in environment: Environment) -> Span? {
        let hours: [Int64] = [1, 12, 24, 48, 72]
        guard environment == .production, (1...hours.count).contains(attempts) else { return nil }
        return .hours(hours[attempts - 1])
    }
}
