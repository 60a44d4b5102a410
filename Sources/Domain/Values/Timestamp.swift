/// An instant: milliseconds since the Unix epoch, UTC, as Apple writes its dates.
///
/// Arithmetic saturates, so that absurd dates in signed data cannot trap.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    package static func + (instant: Timestamp, span: Span) -> Timestamp {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(span.milliseconds)
        return Timestamp(milliseconds: overflow ? (span.milliseconds > 0 ? .max : .min) : sum)
    }
    package static func - (instant: Timestamp, span: Span) -> Timestamp { instant + Span(milliseconds: 0 - span.milliseconds) }

    package static func - (later: Timestamp, earlier: Timestamp) -> Span {
        let (difference, overflow) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return Span(milliseconds: overflow ? (later > earlier ? .max : -.max) : difference)
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws { milliseconds = try decoder.singleValueContainer().decode(Int64.self) }
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

/// A length of time in whole milliseconds; never `Int64.min`, so that it can be negated.
package struct Span: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = max(milliseconds, -.max) }

    package static func milliseconds(_ count: Int64) -> Span { Span(milliseconds: count) }
    package static func seconds(_ count: Int64) -> Span { count * Span(milliseconds: 1_000) }
    package static func minutes(_ count: Int64) -> Span { count * Span(milliseconds: 60_000) }
    package static func hours(_ count: Int64) -> Span { count * Span(milliseconds: 3_600_000) }
    package static func days(_ count: Int64) -> Span { count * Span(milliseconds: 86_400_000) }

    package static func < (a: Span, b: Span) -> Bool { a.milliseconds < b.milliseconds }

    package static func * (count: Int64, span: Span) -> Span {
        let (product, overflow) = span.milliseconds.multipliedReportingOverflow(by: count)
        return Span(milliseconds: overflow ? ((count > 0) == (span.milliseconds > 0) ? .max : -.max) : product)
    }
}
