import Domain

/// Why a call of the App Store Server API brought no result.
package struct AppStoreServerAPIError: Error, Sendable, Hashable {
    /// `nil` where no complete answer came.
    package var status: Int?
    /// Apple's `errorCode` as received, known or not.
    package var code: Int64?
    /// What is wrong and what to do.
    package var explanation: String
    /// Whether the same call may succeed later.
    package var isRetryable: Bool
    package var retryAfter: Timestamp?
}

extension AppStoreServerAPIError: CustomStringConvertible {
    package var description: String { explanation }
}

extension AppStoreServerAPIError {
    init(_ reply: ServerAPIReply) {
        let isRetryable =
            switch reply.kind {
            case .rateLimited, .serverFault, .notSent, .inDoubt: true
            case .accepted, .refused, .notFound, .unauthorized: false
            }
        self.init(
            status: reply.status, code: reply.errorCode, explanation: reply.explanation ?? "no explanation", isRetryable: isRetryable,
            retryAfter: reply.retryAfter)
    }

    /// The desk's own limit holds the call back.
    static func notYet(_ turn: Timestamp) -> AppStoreServerAPIError {
        AppStoreServerAPIError(
            status: nil, code: nil, explanation: "Not sent: Apple's limit for such calls is used up. Nothing to do: the desk waits.",
            isRetryable: true, retryAfter: turn)
    }
}
