import Testing

@testable import JSON5

/// SplitMix64: the same seed gives the same run everywhere.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Reads the bytes; a mistake must lie inside the text.
private func check(_ bytes: [UInt8], _ seed: UInt64) {
    do {
        _ = try JSON5Node(parsing: bytes)
    } catch {
        let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
        #expect(1...lines ~= error.line && 1...(bytes.count + 1) ~= error.column && !error.message.isEmpty, "seed \(seed): \(error)")
    }
}

@Test func anyBytesAreReadOrRefused() {
    for seed in UInt64(1)...2000 {
        var random = SeededGenerator(state: seed)
        check((0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }, seed)
    }
}

@Test func anyRowOfTokensIsReadOrRefused() {
    let tokens = [
        "{", "}", "[", "]", ",", ":", "a", "'b'", "\"c\"", "1", "-", "+.5", "0x", "1e9", "1e-99", "null", "\\u0061", "\\uD800", "'\\", "//",
        "/*",
        "*/", "\n", "\r\n", " ", "\u{2028}", "Infinity", "é", "'", "\"", "\\",
    ]
    for seed in UInt64(1)...2000 {
        var random = SeededGenerator(state: seed)
        let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in tokens[Int.random(in: 0..<tokens.count, using: &random)] }
            .joined()
        check(Array(text.utf8), seed)
    }
}

@Test func changedTextsAreReadOrRefused() {
    let text = Array(
        "{listen: '127.0.0.1:0', apps: [{id: \"a\", price: {atLeast: 9.99}, n: -0x1F, s: '\\u00e9\\x41\\\n'},], /* c */ d: .5e+3} // end"
            .utf8)
    for seed in UInt64(1)...2000 {
        var random = SeededGenerator(state: seed)
        var bytes = text
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            if Bool.random(using: &random) { bytes.remove(at: index) } else { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        }
        check(bytes, seed)
    }
}
