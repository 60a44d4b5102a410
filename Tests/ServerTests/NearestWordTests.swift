import Testing

@testable import Server

@Test func editDistances() {
    for (a, b, expected) in [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("keyID", "keyid", 0), ("atLeast", "atleas", 1),
        ("ab", "ba", 2),
    ] {
        #expect(NearestWord.distance(a, b) == expected, "\(a) \(b)")
    }
}

@Test func adviceNamesTheNearest() {
    #expect(NearestWord.advice(for: "lisen", among: ["listen", "apps"]) == "did you mean \"listen\"?")
    #expect(NearestWord.advice(for: "zzzzzz", among: ["listen", "apps"]) == "the nearest known is \"listen\"; known are listen, apps")
    #expect(NearestWord.advice(for: "a", among: []) == "none is known here")
    #expect(!NearestWord.advice(for: String(repeating: "x", count: 100_000), among: ["a"]).isEmpty)
}
