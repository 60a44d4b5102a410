import Foundation
import Testing

@testable import Domain

@Suite struct ReportDayTests {
    @Test(
        "field report 148: the day of an instant in both zones",
        arguments: [
            ("2026-03-01T05:30Z", "2026-03-01", "2026-02-28"),
            ("2026-03-08T07:59Z", "2026-03-08", "2026-03-07"),
            ("2026-03-08T08:00Z", "2026-03-08", "2026-03-08"),
            ("2026-03-08T10:30Z", "2026-03-08", "2026-03-08"),
            ("2026-03-09T06:59Z", "2026-03-09", "2026-03-08"),
            ("2026-03-09T07:00Z", "2026-03-09", "2026-03-09"),
            ("2026-11-01T06:59Z", "2026-11-01", "2026-10-31"),
            ("2026-11-02T07:59Z", "2026-11-02", "2026-11-01"),
            ("2026-11-02T08:00Z", "2026-11-02", "2026-11-02"),
            ("2026-12-31T23:59Z", "2026-12-31", "2026-12-31"),
        ])
    func theDayOfAnInstant(_ text: String, utc: String, pacific: String) throws {
        let day = ReportDay(try #require(Timestamp(utc: text)))
        #expect(day.utc == ReportDay(try #require(Timestamp(utc: utc + "T00:00Z"))).utc)
        #expect(day.pacific == ReportDay(try #require(Timestamp(utc: pacific + "T00:00Z"))).utc)
    }

    /// The rule in force since 2007 is the one of the zone's own tables.
    @Test func theOffsetIsThatOfLosAngeles() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        for hour in stride(from: Int64(1_199_145_600), to: 2_114_380_800, by: 1_800 * 7) {
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(hour)))
            #expect(PacificTime.offset(at: Timestamp(milliseconds: hour * 1_000)) == .seconds(Int64(expected)), "\(hour)")
        }
    }

    @Test func aDayBeginsAtItsMidnightAndLasts23To25Hours() throws {
        var lengths: [Int64: Int] = [:]
        let first = ReportDay(try #require(Timestamp(utc: "2026-01-01T12:00Z"))).utc
        for day in first..<(first + 365) {
            let (start, end) = (PacificTime.midnight(ofDay: day), PacificTime.midnight(ofDay: day + 1))
            #expect(ReportDay(start).pacific == day && ReportDay(start - .milliseconds(1)).pacific == day - 1)
            lengths[(end - start).milliseconds / 3_600_000, default: 0] += 1
        }
        #expect(lengths == [23: 1, 24: 363, 25: 1])
    }

    @Test func absurdDatesDoNotTrap() {
        for milliseconds in [Int64.min, .max, 0] {
            let day = ReportDay(Timestamp(milliseconds: milliseconds))
            #expect(day.pacific == day.utc || day.pacific == day.utc - 1)
        }
    }
}

@Suite struct TimeHistogramTests {
    @Test func aValueIsReadBackWithinTheStatedPrecision() {
        for seconds in (Int64(0)...5_000).map({ $0 }) + [86_400, 1_000_000, 31_536_000] {
            let read = TimeHistogram.middle(ofBucket: TimeHistogram.bucket(of: seconds))
            #expect(Double(abs(read - seconds)) <= Double(seconds) / 31, "\(seconds)")
        }
        #expect(TimeHistogram.middle(ofBucket: TimeHistogram.bucket(of: .max)) > 0)
    }

    @Test func bucketsRise() {
        let buckets = (Int64(0)...100_000).map(TimeHistogram.bucket)
        #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0 == $1 || $0 + 1 == $1 })
    }

    @Test func partsAddUpToTheWhole() {
        var whole = TimeHistogram()
        for seconds in Int64(1)...1_000 { whole.add(1, inBucket: TimeHistogram.bucket(of: seconds)) }
        var joined = TimeHistogram()
        for part in [Int64(1)...300, 301...1_000] {
            var histogram = TimeHistogram()
            for seconds in part { histogram.add(1, inBucket: TimeHistogram.bucket(of: seconds)) }
            for (bucket, count) in histogram.counts { joined.add(count, inBucket: bucket) }
        }
        #expect(joined == whole && joined.count == 1_000)
        #expect(abs((joined.quantile(percent: 50) ?? 0) - 500) <= 16)
        #expect(abs((joined.quantile(percent: 90) ?? 0) - 900) <= 29)
        #expect(TimeHistogram().quantile(percent: 50) == nil)
    }
}
