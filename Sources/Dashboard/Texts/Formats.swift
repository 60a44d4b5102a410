import Domain

extension Texts {
    /// A whole number with its digits in groups, as the language writes them.
    func number(_ number: Int64) -> String {
        let digits = Array(String(number.magnitude))
        // Four digits stay together where the language does so.
        let isGrouped = digits.count > (language.groupsFourDigits ? 3 : 4)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if isGrouped, index > 0, (digits.count - index) % 3 == 0 { text += language.groupSeparator }
            text.append(digit)
        }
        return number < 0 ? "\u{2212}\(text)" : text
    }

    /// A decimal number of that many places, given in units of its last place.
    func decimal(_ value: Int64, places: Int) -> String {
        guard places > 0 else { return number(value) }
        let scale = (0..<places).reduce(Int64(1)) { scale, _ in scale * 10 }
        let (whole, rest) = value.quotientAndRemainder(dividingBy: scale)
        let fraction = String(rest.magnitude)
        let sign = value < 0 && whole == 0 ? "\u{2212}" : ""
        return sign + number(whole) + language.decimalSeparator + String(repeating: "0", count: places - fraction.count) + fraction
    }

    /// An amount with the currency's own number of places and its code; more places where the amount has them.
    func money(_ money: Money) -> String {
        var places = fractionDigits(of: money.currency)
        while places < 3, money.amount % (0..<(3 - places)).reduce(Int64(1), { scale, _ in scale * 10 }) != 0 { places += 1 }
        let scale = (0..<(3 - places)).reduce(Int64(1)) { scale, _ in scale * 10 }
        return "\(decimal(money.amount / scale, places: places))\u{A0}\(money.currency)"
    }

    /// Thousandths of a percent.
    func percentage(_ thousandths: Int32) -> String {
        var (value, places) = (Int64(thousandths), 3)
        while places > 0, value % 10 == 0 { (value, places) = (value / 10, places - 1) }
        return decimal(value, places: places) + language.percentSign
    }

    /// A share with one decimal place of a percent.
    func share(_ share: Double) -> String { decimal(Int64((share * 1_000).rounded()), places: 1) + language.percentSign }

    /// Millionths of units.
    func quantity(_ millionths: Int64) -> String {
        var (value, places) = (millionths, 6)
        while places > 0, value % 10 == 0 { (value, places) = (value / 10, places - 1) }
        return decimal(value, places: places)
    }

    /// A name in the language's quotation marks.
    func quoted(_ text: String) -> String {
        switch language {
        case .english, .vietnamese: "“\(text)”"
        case .french: "«\u{A0}\(text)\u{A0}»"
        case .ukrainian: "«\(text)»"
        case .chinese: "「\(text)」"
        }
    }

    /// A length of time in its two greatest units.
    func span(_ span: Span) -> String {
        let seconds = max(span.milliseconds, 0) / 1_000
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        func words(_ parts: (Int64, Phrase)...) -> String {
            parts.filter { $0.0 > 0 }.map { "\(number($0.0))\u{A0}\(self[$0.1])" }.joined(separator: " ")
        }
        if days > 0 { return words((days, .unitDays), (hours, .unitHours)) }
        if hours > 0 { return words((hours, .unitHours), (minutes, .unitMinutes)) }
        if minutes > 0 { return words((minutes, .unitMinutes), (seconds % 60, .unitSeconds)) }
        return "\(number(seconds))\u{A0}\(self[.unitSeconds])"
    }
}

extension Language {
    fileprivate var groupSeparator: String {
        switch self {
        case .english, .chinese: ","
        case .vietnamese: "."
        case .french: "\u{202F}"
        case .ukrainian: "\u{A0}"
        }
    }
    fileprivate var decimalSeparator: String {
        switch self {
        case .english, .chinese: "."
        case .vietnamese, .french, .ukrainian: ","
        }
    }
    fileprivate var groupsFourDigits: Bool { self != .ukrainian }
    fileprivate var percentSign: String { self == .french ? "\u{202F}%" : "%" }
}

/// How many decimal places amounts of a currency are written with; two for one that is not known.
///
/// - Source: ISO 4217, minor units.
func fractionDigits(of currency: String) -> Int {
    switch currency {
    case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF": 0
    case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
    default: 2
    }
}

/// An instant in UTC, in the same words for all languages: `2026-11-30 12:00`.
func utcText(_ instant: Timestamp, seconds: Bool = false) -> String {
    let parts = clockParts(instant)
    let time = "\(two(parts.hour)):\(two(parts.minute))" + (seconds ? ":\(two(parts.second))" : "")
    return "\(dateText(instant)) \(time)"
}

/// The day of an instant in UTC: `2026-11-30`.
func dateText(_ instant: Timestamp) -> String {
    let date = CivilDate(instant)
    return "\(date.year)-\(two(date.month))-\(two(date.day))"
}

/// As `<time>` takes it.
func isoText(_ instant: Timestamp) -> String {
    let parts = clockParts(instant)
    return "\(dateText(instant))T\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))Z"
}

private func clockParts(_ instant: Timestamp) -> (hour: Int64, minute: Int64, second: Int64) {
    let seconds = ((instant - CivilDate(instant).midnight).milliseconds) / 1_000
    return (seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

private func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
