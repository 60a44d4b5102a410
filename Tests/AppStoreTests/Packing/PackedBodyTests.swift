import AppStoreSimulator
import Crypto
import Testing

@testable import AppStore

/// Whatever is packed comes back byte for byte; certificates are kept once and base64 not at all.
struct PackedBodyTests {
    private static let header = Base64URL.encode(Array(repeating: 0x42, count: 3_000))
    private static let signature = Base64URL.encode(Array((0..<64).map { UInt8($0) }))

    private static func jws(_ payload: String) -> String { "\(header).\(Base64URL.encode(Array(payload.utf8))).\(signature)" }
    private static let filling = String(repeating: "x", count: 100)

    @Test func aMessageKeepsItsCertificatesOnceAndNoBase64() {
        let inner = PackedBodyTests.jws(#"{"transactionId":"1","bundleId":"com.example.app","x":"\#(PackedBodyTests.filling)"}"#)
        let outer = PackedBodyTests.jws(#"{"data":{"signedTransactionInfo":"\#(inner)","signedRenewalInfo":"\#(inner)"},"version":"2.0"}"#)
        let body = Array(#"{"signedPayload":"\#(outer)"}"#.utf8)
        let packed = PackedBody.pack(body)
        #expect(packed.unpack() == body)
        #expect(packed.headers.count == 1)
        #expect(packed.bytes.count < 1_000, "the rest is three signatures and what the payloads say")
        #expect(String(decoding: packed.bytes, as: UTF8.self).contains("com.example.app"), "payloads lie open")
    }

    private struct Row: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var headers: Int
        init(_ name: String, _ text: String, headers: Int) { (testDescription, self.text, self.headers) = (name, text, headers) }
    }

    private static let rows: [Row] = {
        let one = jws(filling)
        return [
            Row("nothing", "", headers: 0), Row("a dot", ".", headers: 0),
            Row("names with dots", #"{"a":"com.example.app","b":"1.0"}"#, headers: 0),
            Row("alone", one, headers: 1), Row("at the end", "x \(one)", headers: 1), Row("at the beginning", "\(one) x", headers: 1),
            Row("two in a row", "\(one),\(one)", headers: 1), Row("behind a name with dots", "com.example.app \(one)", headers: 1),
            Row("four runs", "\(one).\(filling)", headers: 0), Row("a run too many in front", "\(filling).\(one)", headers: 0),
            Row("no header", ".\(filling).\(signature)", headers: 0), Row("an empty signature", "\(header).\(filling).", headers: 1),
            Row("spare bits in the payload", "\(header).\(filling)\(filling)B.\(signature)", headers: 0),
            Row("padding", "\(header).\(filling)==.\(signature)", headers: 0),
            Row("standard base64 within", "\(header).\(filling)+/\(filling).\(signature)", headers: 0),
            Row("not UTF-8 around it", "\u{FFFD}\(one)\u{0}", headers: 1),
        ]
    }()

    @Test(arguments: rows) private func comesBackByteForByte(_ row: Row) {
        let body = Array(row.text.utf8)
        let packed = PackedBody.pack(body)
        #expect(packed.unpack() == body)
        #expect(packed.headers.count == row.headers)
    }

    /// Cut, doubled and overwritten at random places.
    @Test func mutilatedMessagesComeBackToo() {
        var random = SplitMix64(seed: 20_261_130)
        let sound = Array(#"{"signedPayload":"\#(PackedBodyTests.jws(PackedBodyTests.jws(PackedBodyTests.filling)))"}"#.utf8)
        for _ in 0..<2_000 {
            var body = sound
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: body[place] = UInt8.random(in: 0...255, using: &random)
                case 1: body.removeLast(body.count - place)
                default: body.insert(UInt8(ascii: "."), at: place)
                }
                if body.isEmpty { body = [0] }
            }
            #expect(PackedBody.pack(body).unpack() == body, "\(body)")
        }
    }
}
