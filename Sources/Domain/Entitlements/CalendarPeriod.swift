/// A length of time in calendar units, as ISO 8601 writes it: `P1M` is a month, whatever its days.
package struct CalendarPeriod: Hashable, Sendable {
    package var years: Int32
    package var months: Int32
    package var days: Int32
    package var seconds: Int64

    package init(years: Int32 = 0, months: Int32 = 0, days: Int32 = 0, seconds: Int64 = 0) {
        self.years = years
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// Reads `P1Y6M`, `P2W`, `P30D`, `P1DT12H`; nil for anything else. Whole numbers of up to six digits, each unit at most
    /// once and in order.
    package init?(iso8601 text: String) {
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.first == "P", let last = halves.last, !last.isEmpty,
            let date = Self.counts(in: halves[0], units: "YMWD"),
            let time = Self.counts(in: halves.count > 1 ? last : "", units: "HMS")
        else { return nil }
        self.init(
            years: date[0], months: date[1], days: 7 * date[2] + date[3],
            seconds: 3_600 * Int64(time[0]) + 60 * Int64(time[1]) + Int64(time[2]))
    }

    /// One count for each unit, 0 where it is left out.
    private static func counts(in text: Substring, units: String) -> [Int32]? {
        var rest = text
        var counts: [Int32] = []
        for unit in units {
            let digits = rest.prefix { $0.isASCII && $0.isWholeNumber }
            let after = rest.dropFirst(digits.count)
            guard after.first == unit else {
                counts.append(0)
                continue
            }
            guard (1...6).contains(digits.count), let count = Int32(digits) else { return nil }
            counts.append(count)
            rest = after.dropFirst()
        }
        return rest.isEmpty ? counts : nil
    }
}

extension Timestamp {
    /// The same time of day that many calendar units later, in UTC: years and months first, clamped to the month's last day,
    /// then days, then seconds. 31 January and a month is 28 or 29 February.
    package static func + (instant: Timestamp, period: CalendarPeriod) -> Timestamp {
        var (day, timeOfDay) = instant.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        if timeOfDay < 0 { (day, timeOfDay) = (day - 1, timeOfDay + 86_400_000) }
        let date = CivilDate(daysSinceEpoch: day).adding(months: 12 * Int64(period.years) + Int64(period.months))
        return Timestamp(milliseconds: 0) + .days(date.daysSinceEpoch + Int64(period.days)) + Span(milliseconds: timeOfDay)
            + .seconds(period.seconds)
    }
}

/// A day of the proleptic Gregorian calendar.
private struct CivilDate {
    var year: Int64
    /// 1...12.
    var month: Int64
    /// 1...31.
    var day: Int64

    /// Counts in eras of 400 years (146,097 days) that begin on 1 March, so that the leap day comes last.
    init(daysSinceEpoch days: Int64) {
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

    var daysSinceEpoch: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    func adding(months count: Int64) -> CivilDate {
        let months = year * 12 + (month - 1) + count
        var result = self
        result.month = (months % 12 + 12) % 12 + 1
        result.year = (months - (result.month - 1)) / 12
        result.day = min(day, result.daysInMonth)
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
