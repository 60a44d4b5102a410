import Foundation

/// How often a call is tried, and how long apart.
///
/// Every call of this library may be repeated without harm, so each is tried again after no answer, 408, 429 and 5xx. The wait before the
/// n-th retry is drawn between half and the whole of `first * 2^(n-1)`, at most ``longest``; a `Retry-After` that asks for more is waited
/// for, up to ``longest``, and beyond that the error is thrown with ``RefundDeskError/retryAfter``.
public struct RetryPolicy: Sendable, Equatable {
    /// Attempts in all; 1 never repeats.
    public var attempts: Int
    /// The first wait, in seconds.
    public var first: TimeInterval
    /// The longest wait, in seconds.
    public var longest: TimeInterval

    public init(attempts: Int = 5, first: TimeInterval = 0.5, longest: TimeInterval = 30) {
        self.attempts = max(1, attempts)
        self.first = max(0, first)
        self.longest = max(0, longest)
    }

    /// One attempt.
    public static let none = RetryPolicy(attempts: 1)

    /// - Parameters:
    ///   - made: Attempts made so far, the failed one included.
    ///   - draw: Between 0 and 1.
    /// - Returns: Seconds to wait; nil where no further attempt is to be made.
    func wait(after error: RefundDeskError, made: Int, draw: Double) -> TimeInterval? {
        guard error.isRetryable, made < attempts else { return nil }
        if let asked = error.retryAfter, asked > longest { return nil }
        let step = min(longest, first * pow(2, Double(min(made, 60) - 1)))
        return max(step * (0.5 + draw / 2), error.retryAfter ?? 0)
    }
}
