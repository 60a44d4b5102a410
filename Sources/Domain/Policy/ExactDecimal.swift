/// A decimal number without rounding: `significand` × 10^`exponent`.
package struct ExactDecimal: Hashable, Sendable {
    /// Without trailing zeros, so that equal numbers are equal member by member.
    package let significand: Int64
    package let exponent: Int

    /// - Parameter exponent: Small; whoever reads a number from outside bounds it.
    package init(significand: Int64, exponent: Int) {
        var (digits, power) = (significand, exponent)
        while digits != 0, digits % 10 == 0 {
            digits /= 10
            power += 1
        }
        self.significand = digits
        self.exponent = digits == 0 ? 0 : power
    }

    package init(_ integer: some FixedWidthInteger) { self.init(significand: Int64(clamping: integer), exponent: 0) }

    /// An amount of money in whole units of its currency.
    package init(milliunits: Int64) { self.init(significand: milliunits, exponent: -3) }

    /// The whole number this is, or nil where it has a fraction or exceeds 64 bits.
    package var wholeNumber: Int64? {
        guard exponent >= 0 else { return nil }
        var value = significand
        for _ in 0..<exponent {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
        }
        return value
    }
}

extension ExactDecimal: Comparable {
    package static func < (a: ExactDecimal, b: ExactDecimal) -> Bool {
        guard a.significand.signum() == b.significand.signum() else { return a.significand < b.significand }
        return a.significand < 0 ? exceeds(a, b) : exceeds(b, a)
    }

    /// Whether the first is farther from zero; both have one sign.
    private static func exceeds(_ a: ExactDecimal, _ b: ExactDecimal) -> Bool {
        guard a.magnitude == b.magnitude else { return a.magnitude > b.magnitude }
        // Equal places before the point: bringing both to the smaller exponent fills at most 19 digits, which UInt64 holds.
        let shared = min(a.exponent, b.exponent)
        return a.digits(downTo: shared) > b.digits(downTo: shared)
    }

    /// Places before the decimal point; zero lies below everything.
    private var magnitude: Int {
        guard significand != 0 else { return .min }
        var (places, rest) = (exponent, significand.magnitude)
        while rest > 0 {
            places += 1
            rest /= 10
        }
        return places
    }

    private func digits(downTo lower: Int) -> UInt64 {
        (lower..<exponent).reduce(significand.magnitude) { digits, _ in digits * 10 }
    }
}
