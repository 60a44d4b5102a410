import HTTPClient
import Testing

@Test(
    arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777_000),
        ("Sun Nov  6 08:49:37 1994", 784_111_777_000), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199_000),
        ("", nil), ("yesterday", nil), ("Sun, 06 Nov", nil),
    ] as [(String, Int64?)])
func httpDates(_ text: String, _ expected: Int64?) { #expect(HTTPDate.milliseconds(text) == expected) }
