import Testing

@testable import Server

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

/// A text that uses most keys, cut so that each piece can be exchanged for another.
private let pieces = ConfigurationFixture(
    desk: ["listen": "'127.0.0.1:0'", "publicURL": "'https://a.example'", "tls": "{ certificateFile: 'a', privateKeyFile: 'b' }"],
    app: [
        "alerts":
            "[ { kind: 'telegram' , token: '${T}' , chatId: '1' } , { kind: 'email' , smtp: 'smtp://h' , from: 'a@b' , to: [ 'c@d' ] } ]",
        "webhooks": "[ { url: 'https://a.example' , secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' , events: [ 'refund.*' ] } ]",
        "products":
            "{ '*': { sampleContentProvided: true , delivery: 'DELIVERED' , granted: 5 , duration: 'P1M' , costs: { a: { unit: 1e3 , currency: 'USD' } } } }",
        "policy":
            "{ rules: [ { name: 'a' , when: { price: { atLeast: 9.99 } , currency: 'USD' , tag: [ 'x*' ] } , then: { hold: '2h' , otherwise: { answer: 'none' } } } ] }",
        "retention": "{ usage: '2y' , bodies: null }", "repeatRefunder": "{ granted: 2 }",
    ]
).text.split(separator: " ").map(String.init)

@Test func anyTextIsReadOrRefused() {
    var read = 0
    for seed in UInt64(1)...1000 {
        var random = SeededGenerator(state: seed)
        var changed = pieces
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let index = Int.random(in: 0..<changed.count, using: &random)
            let others = [pieces.randomElement(using: &random) ?? "", "null", "-1e99", "''", "'${'", "'é'", "[[[]]]", "{'': {}}", ""]
            changed[index] = others[Int.random(in: 0..<others.count, using: &random)]
        }
        let reading = ConfigurationReading(of: Array(changed.joined(separator: " ").utf8), folder: "/", variables: ["T": "t"])
        #expect((reading.configuration == nil) == !reading.mistakes.isEmpty, "seed \(seed): \(reading.mistakes)")
        #expect(reading.mistakes.allSatisfy { ($0.line ?? 0) > 0 && !$0.message.isEmpty }, "seed \(seed)")
        read += reading.configuration == nil ? 0 : 1
    }
    #expect((100..<1000).contains(read), "\(read) of 1000 were good: the changes miss their aim")
}
