import Domain

/// Numbers as text, the same on every machine and in every language.
package enum DecimalText {
    /// Four places: 0.0125.
    package static func fraction(_ value: Double) -> String { fixed(Int64((value * 10_000).rounded()), places: 4) }

    /// One place: 1.3 for 0.0125.
    package static func percent(_ value: Double) -> String { fixed(Int64((value * 1_000).rounded()), places: 1) }

    /// Milliunits in whole units: 10.99, or 0.005 where the third place is needed.
    package static func money(_ milliunits: Int64) -> String {
        milliunits % 10 == 0 ? fixed(milliunits / 10, places: 2) : fixed(milliunits, places: 3)
    }

    /// An integer with so many of its digits behind the point.
    private static func fixed(_ number: Int64, places: Int) -> String {
        var digits = "\(number.magnitude)"
        digits = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
        let point = digits.index(digits.endIndex, offsetBy: -places)
        return (number < 0 ? "-" : "") + digits[..<point] + "." + digits[point...]
    }

    /// `4 m 05 s`, `3 h 20 m`, `2 d 4 h`.
    package static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) m \(seconds % 60) s"
        case ..<86_400: "\(seconds / 3_600) h \(seconds % 3_600 / 60) m"
        default: "\(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
        }
    }
}
