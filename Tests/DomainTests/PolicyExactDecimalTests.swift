import Testing

@testable import Domain

@Test func equalDecimalsAreEqual() {
    #expect(ExactDecimal(significand: 1200, exponent: -2) == ExactDecimal(12))
    #expect(ExactDecimal(significand: 0, exponent: 7) == ExactDecimal(0))
    #expect(ExactDecimal(milliunits: 9990) == ExactDecimal(significand: 999, exponent: -2))
    #expect(Set([ExactDecimal(significand: 10, exponent: 0), ExactDecimal(significand: 1, exponent: 1)]).count == 1)
}

@Test func decimalsAreOrderedExactly() {
    let ascending: [(Int64, Int)] = [
        (.min, 50), (.min, 0), (-10, 0), (-999, -2), (-1, 0), (-1, -90), (0, 0), (1, -90), (1, -1), (.max, -19), (1, 0), (999, -2),
        (9_990_000_000_000_001, -15), (10, 0), (.max, 0), (1, 19), (.max, 90),
    ]
    let numbers = ascending.map { ExactDecimal(significand: $0.0, exponent: $0.1) }
    for (i, a) in numbers.enumerated() {
        for (j, b) in numbers.enumerated() {
            #expect((a < b) == (i < j), "\(ascending[i]) \(ascending[j])")
            #expect((a == b) == (i == j))
        }
    }
}

@Test func wholeNumbersOfDecimals() {
    #expect(ExactDecimal(significand: -12, exponent: 2).wholeNumber == -1200)
    #expect(ExactDecimal(significand: 100, exponent: -1).wholeNumber == 10)
    #expect(ExactDecimal(significand: 105, exponent: -1).wholeNumber == nil)
    #expect(ExactDecimal(significand: 1, exponent: 18).wholeNumber == 1_000_000_000_000_000_000)
    #expect(ExactDecimal(significand: 1, exponent: 19).wholeNumber == nil)
    #expect(ExactDecimal(UInt64.max).wholeNumber == .max)
}
