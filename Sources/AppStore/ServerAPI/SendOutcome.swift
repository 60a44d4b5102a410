import Domain

/// What one try at Send Consumption Information came to. Everything an attempt's record needs.
package struct SendOutcome: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Any 2xx; Apple's own is 202. Apple has it: never send another.
        case accepted
        /// Final for this body.
        case refused
        /// The transaction is not known yet, or the app or environment is wrong: worth a few more tries, minutes apart.
        case notFound
        /// The token was refused. Worth one try right away after ``AppStoreServerAPI/renewToken()``.
        case unauthorized
        /// Wait until ``SendOutcome/retryAfter``.
        case rateLimited
        /// A fault at Apple, or an error that Apple names retryable: the same body again, later.
        case serverFault
        /// Apple cannot have received it.
        case notSent
        /// Apple may have received it: only the very same body may follow.
        case inDoubt
    }
    /// When the try began.
    package var at: Timestamp
    package var kind: Kind
    /// `nil` where no complete answer came.
    package var httpStatus: Int?
    /// Apple's `errorCode` as received, known or not.
    package var errorCode: Int64?
    /// What is wrong and what to do; `nil` when accepted.
    package var explanation: String?
    /// Apple's `Retry-After`, which may lie past the deadline.
    package var retryAfter: Timestamp?
    /// Apple's clock less ours, by the header `Date`, to about a second.
    package var clockOffset: Domain.Span?
}
