import Domain
import Testing

@Test(arguments: [
    ("P30D", CalendarPeriod(days: 30)), ("P1M", CalendarPeriod(months: 1)), ("P1Y6M", CalendarPeriod(years: 1, months: 6)),
    ("P2W", CalendarPeriod(days: 14)), ("P1W3D", CalendarPeriod(days: 10)), ("PT12H", CalendarPeriod(seconds: 43_200)),
    ("P1MT1M", CalendarPeriod(months: 1, seconds: 60)), ("P1DT1H2M3S", CalendarPeriod(days: 1, seconds: 3_723)), ("P0D", CalendarPeriod()),
])
func calendarPeriodIsRead(_ text: String, _ period: CalendarPeriod) {
    #expect(CalendarPeriod(iso8601: text) == period)
}

@Test(arguments: [
    "", "P", "PT", "P1", "30D", "p30d", "P-1D", "P1.5D", "P1D1M", "P1D1D", "P1H", "PT1D", "P1DT", "P1234567D", "P1M ", "PTT1H", "P١D", "D",
    "P1DT1H1H",
])
func calendarPeriodRefuses(_ text: String) {
    #expect(CalendarPeriod(iso8601: text) == nil)
}

@Test(
    arguments: [
        // 2026-01-31 12:00 and a month: 2026-02-28 12:00.
        (1_769_860_800_000, CalendarPeriod(months: 1), 1_772_280_000_000),
        // 2024-02-29 00:00 and a year: 2025-02-28.
        (1_709_164_800_000, CalendarPeriod(years: 1), 1_740_700_800_000),
        // 2024-01-31 and a month: 2024-02-29.
        (1_706_659_200_000, CalendarPeriod(months: 1), 1_709_164_800_000),
        // 2026-11-30 and three months: 2027-02-28.
        (1_796_040_000_000, CalendarPeriod(months: 3), 1_803_816_000_000),
        // 1969-12-31 23:59:59.999 and two months: 1970-02-28 23:59:59.999.
        (-1, CalendarPeriod(months: 2), 5_097_599_999),
        // 2026-06-01 10:00 and 30 days.
        (1_780_308_000_000, CalendarPeriod(days: 30), 1_782_900_000_000),
        // Month first, then days: 2026-01-31 + P1M1D = 2026-03-01.
        (1_769_860_800_000, CalendarPeriod(months: 1, days: 1), 1_772_366_400_000),
        (0, CalendarPeriod(seconds: 90), 90_000),
    ] as [(Int64, CalendarPeriod, Int64)])
func calendarPeriodIsAdded(_ start: Int64, _ period: CalendarPeriod, _ end: Int64) {
    #expect(Timestamp(milliseconds: start) + period == Timestamp(milliseconds: end))
}

@Test func absurdInstantsDoNotTrap() {
    for start in [Int64.min, .min + 1, -1, 0, .max - 1, .max] {
        let instant = Timestamp(milliseconds: start)
        #expect(instant + CalendarPeriod() == instant || start < .min + 86_400_000)
        #expect(instant + CalendarPeriod(years: 999_999, months: 999_999, days: .max, seconds: .max) >= instant)
    }
}
