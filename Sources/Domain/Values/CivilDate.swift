/// A day of the proleptic Gregorian calendar.
///
/// - Source: Howard Hinnant, chrono-compatible low-level date algorithms: `days_from_civil` and its inverse.
package struct CivilDate: Hashable, Sendable {
    package var year: Int64
    /// 1...12.
    package var month: Int64
    /// 1...31.
    package var day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Counts in eras of 400 years (146,097 days) that begin on 1 March, so that the leap day comes last.
    package init(daysSinceEpoch days: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package var daysSinceEpoch: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The same day of another month, or that month's last.
    ///
    /// - Parameter anchorDay: The day wished for, where it is not this one: the 31st that a shorter month put off.
    package func adding(months count: Int64, anchorDay: Int64? = nil) -> CivilDate {
        let months = year * 12 + (month - 1) + count
        var result = self
        result.month = (months % 12 + 12) % 12 + 1
        result.year = (months - (result.month - 1)) / 12
        result.day = min(anchorDay ?? day, result.daysInMonth)
        return result
    }

    var daysInMonth: Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate {
    /// The day of an instant, in UTC.
    package init(_ instant: Timestamp) {
        let (days, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        self.init(daysSinceEpoch: rest < 0 ? days - 1 : days)
    }

    /// Its first instant, in UTC.
    package var midnight: Timestamp { Timestamp(milliseconds: 0) + .days(daysSinceEpoch) }
}

extension Timestamp {
    /// Reads `2026-11-01T10:00Z` or `2026-11-01T10:00:30Z`; nil for anything else, also for days no calendar has.
    package init?(utc text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].last == "Z", let date = CivilDate(parts[0]),
            let time = Timestamp.numbers(in: parts[1].dropLast(), separator: ":", digits: [2, 2], [2, 2, 2]),
            time[0] < 24, time[1] < 60, time.count < 3 || time[2] < 60
        else { return nil }
        let seconds = 3_600 * time[0] + 60 * time[1] + (time.count > 2 ? time[2] : 0)
        self = date.midnight + .seconds(seconds)
    }

    /// Numbers of a fixed count of digits each, in one of the given shapes.
    fileprivate static func numbers(in text: Substring, separator: Character, digits shapes: [Int]...) -> [Int64]? {
        let words = text.split(separator: separator, omittingEmptySubsequences: false)
        guard shapes.contains(words.map(\.utf8.count)), words.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return nil
        }
        return words.compactMap { Int64($0) }
    }
}

extension CivilDate {
    /// Reads `2026-11-01`; nil for a day no calendar has.
    fileprivate init?(_ text: Substring) {
        guard let parts = Timestamp.numbers(in: text, separator: "-", digits: [4, 2, 2]), (1...12).contains(parts[1]) else { return nil }
        self.init(year: parts[0], month: parts[1], day: parts[2])
        guard (1...daysInMonth).contains(day) else { return nil }
    }
}
