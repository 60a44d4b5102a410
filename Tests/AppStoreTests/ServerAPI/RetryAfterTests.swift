import AppStore
import Domain
import Testing

@Test(
    arguments: [
        ("1800000060000", 1_800_000_060_000),  // Apple's milliseconds since the epoch
        ("100000000000", 100_000_000_000),
        ("99999999999", 99_999_999_999_000),  // below 10^11: seconds since the epoch
        ("1800000060", 1_800_000_060_000),
        ("1000000000", 1_000_000_000_000),
        ("999999999", 2_799_999_999_000),  // below 10^9: a delay
        ("120", 1_800_000_120_000),
        (" 120", 1_800_000_120_000),
        ("0", 1_800_000_000_000),
        ("Fri, 15 Jan 2027 08:10:00 GMT", 1_800_000_600_000),
        ("Friday, 15-Jan-27 08:10:00 GMT", 1_800_000_600_000),
        ("Fri Jan 15 08:10:00 2027", 1_800_000_600_000),
        ("9223372036854775807", .max),
        ("", nil), (" ", nil), ("-5", nil), ("1.5", nil), ("soon", nil), ("99999999999999999999", nil),
    ] as [(String, Int64?)])
func retryAfter(_ value: String, _ expected: Int64?) {
    let instant = RetryAfter.instant(value, at: Timestamp(milliseconds: 1_800_000_000_000))
    #expect(instant?.milliseconds == expected)
}
