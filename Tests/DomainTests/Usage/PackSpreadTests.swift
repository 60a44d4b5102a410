import Domain
import Testing

/// Packs in units, and what was used on which day; expected is what each pack is charged, oldest first.
private struct Row: Sendable, CustomTestStringConvertible {
    struct Pack: Sendable {
        var from: Int64
        var until: Int64?
        var room: Int64
        init(_ room: Int64, from: Int64 = 0, until: Int64? = nil) {
            self.room = room
            self.from = from
            self.until = until
        }
    }
    var name: String
    var packs: [Pack]
    var used: [(day: Int64, units: Int64)]
    var expected: [Int128]
    var testDescription: String { name }

    init(_ name: String, _ packs: [Pack], _ used: [(Int64, Int64)], _ expected: [Int128]) {
        self.name = name
        self.packs = packs
        self.used = used.map { (day: $0.0, units: $0.1) }
        self.expected = expected
    }
}

private let rows = [
    Row("one pack", [.init(100)], [(1, 30), (2, 5)], [35]),
    Row("no more than a pack holds", [.init(100)], [(1, 130)], [100]),
    Row("the oldest first", [.init(100), .init(100, from: 5)], [(1, 60), (6, 60)], [100, 20]),
    Row("what overflows before a pack was bought is not charged to it", [.init(100), .init(100, from: 5)], [(1, 150)], [100, 0]),
    Row("usage before the first pack counts for none", [.init(100, from: 5)], [(1, 50), (6, 10)], [10]),
    Row("a refunded pack takes nothing more", [.init(100, until: 5), .init(100, from: 1)], [(2, 40), (6, 30)], [40, 30]),
    Row("a correction gives back to the pack charged last", [.init(100), .init(100, from: 5)], [(6, 130), (7, -50)], [80, 0]),
    Row("a correction below nothing is nothing", [.init(100)], [(1, 10), (2, -30)], [0]),
    Row("what was used of the very pack leaves less room", [.init(40), .init(100)], [(1, 60)], [40, 20]),
    Row("two packs of one instant in order of their ids", [.init(10), .init(10)], [(1, 15)], [10, 5]),
    Row("nothing used", [.init(100)], [], [0]),
]

@Test(arguments: rows) private func packSpread(_ row: Row) {
    let packs = row.packs.enumerated().map { index, pack in
        UnitPack(transactionID: TransactionID("\(index)"), from: day(pack.from), until: pack.until.map(day), room: Int128(pack.room))
    }
    // Corrections net with what was used in the same stretch, so a row that has both in one is charged day by day.
    var spread = PackSpread(packs.shuffled())
    for interval in spread.intervals {
        for use in row.used where interval.from <= day(use.day) && day(use.day) < interval.to { spread.charge(use.units, in: interval) }
    }
    #expect(row.packs.indices.map { spread.charged(to: TransactionID("\($0)")) } == row.expected)
}

@Test func noPackNoInterval() {
    #expect(PackSpread([]).intervals.isEmpty)
    #expect(PackSpread([]).charged(to: TransactionID("1")) == 0)
}

/// In thousandths of a percent, rounded down, exact also where a Double is not.
@Test(arguments: [
    (Int64(0), Int64(3), Int64(1), Int32?(33_333)), (0, 3, 2, 66_666), (0, 10, 0, 0), (0, 10, 10, 100_000), (0, 10, -5, 0),
    (0, 10, 11, 100_000), (5, 5, 5, nil), (6, 5, 5, nil), (.min, .max, 0, 50_000), (0, 100_000, 57_000, 57_000),
    (0, .max, .max - 1, 99_999),
])
func elapsed(_ begin: Int64, _ end: Int64, _ now: Int64, _ expected: Int32?) {
    let share = elapsedShare(
        from: Timestamp(milliseconds: begin), to: Timestamp(milliseconds: end), at: Timestamp(milliseconds: now))
    #expect(share == expected)
}
