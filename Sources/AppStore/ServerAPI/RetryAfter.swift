import Domain
import HTTPClient

/// The header `Retry-After`.
package enum RetryAfter {
    /// Reads the value in every form seen: Apple's absolute milliseconds, seconds since the epoch, a delay in seconds, an HTTP date.
    ///
    /// - Returns: When to try again, perhaps in the past or far ahead: the caller keeps its own deadline. `nil` where the text says nothing.
    /// - Source: Identifying rate limits: milliseconds since the epoch, unlike RFC 9110's two forms.
    package static func instant(_ value: String, at now: Timestamp) -> Timestamp? {
        let text = value.drop { $0 == " " }
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return HTTPDate.milliseconds(value).map { Timestamp(milliseconds: $0) }
        }
        switch Int64(text) {
        case let number? where number >= 100_000_000_000: return Timestamp(milliseconds: number)
        case let number? where number >= 1_000_000_000: return Timestamp(milliseconds: number * 1000)
        case let number?: return now + .seconds(number)
        case nil: return nil
        }
    }
}
