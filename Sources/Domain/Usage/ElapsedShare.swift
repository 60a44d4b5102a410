/// How much of an interval has passed, in thousandths of a percent, rounded down; nil where it has no length.
///
/// - Source: consumptionPercentage is rounded down, so that no more is claimed than is true.
package func elapsedShare(from begin: Timestamp, to end: Timestamp, at now: Timestamp) -> Int32? {
    guard begin < end else { return nil }
    guard begin < now else { return 0 }
    guard now < end else { return 100_000 }
    let passed = Int128(now.milliseconds) - Int128(begin.milliseconds)
    return Int32(clamping: passed * 100_000 / (Int128(end.milliseconds) - Int128(begin.milliseconds)))
}
