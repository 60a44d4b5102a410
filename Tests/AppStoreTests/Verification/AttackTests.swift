import AppStore
import Crypto
import Domain
import Foundation
import Testing

// The attacks of the reference, by number. 38 (revocation, OCSP) is in RevocationTests and in the tests of Crypto; the online half of 8
// (live messages judged at now) is in the tests of Ingest. Numbers 29 to 39, about what is inside a payload, are in NotificationTests.

private let now = SigningChain.now
private let chain = SigningChain.standard

@Test(arguments: [algorithmAttacks, chainAttacks, headerAttacks, signatureAttacks, formAttacks, jsonAttacks].flatMap(\.self))
func attack(_ attack: Attack) {
    let (jws, trusted) = attack.make()
    let verifier = trusted.verifier
    #expect(code { try verifier.verify(jws: Array(jws.utf8), now: now) } == attack.expected)
    // Again on a warm chain, and wrapped as Apple sends it.
    _ = try? verifier.verify(jws: Array(trusted.sign(Sample.whole).utf8), now: now)
    #expect(code { try verifier.verify(jws: Array(jws.utf8), now: now) } == attack.expected)
    let wrapped = code { try verifier.verifyNotification(body: Array(#"{"signedPayload":"\#(jws)"}"#.utf8), now: now) }
    #expect(attack.expected == nil || wrapped != nil)
}

@Test func theNotificationUnderAttackIsSound() throws {
    let body = Array(#"{"signedPayload":"\#(chain.sign(Sample.whole))"}"#.utf8)
    let notification = try chain.verifier.verifyNotification(body: body, now: now)
    #expect(notification.integrity == .consistent)
    #expect(notification.transaction?.payload.transactionId == "2000000100000001")
    #expect(notification.renewalInfo?.payload.autoRenewStatus == .on)
    #expect(notification.fact?.transaction?.precedence.payloadSHA256 == SHA256Digest.hash(Array(Sample.transaction().utf8)))
}

private let algorithmAttacks: [Attack] =
    [
        Attack(1, "none, empty third part", .algorithm) { withSignature("", header: chain.header(alg: "none")) },
        Attack(1, "none, no third part", .malformed) { String(withSignature("", header: chain.header(alg: "none")).dropLast()) },
        Attack(1, "none, with a sound signature", .algorithm) { chain.sign(Sample.whole, header: chain.header(alg: "none")) },
        Attack(2, "HS256 with the leaf's certificate as the key", .algorithm) {
            let signed = withSignature("", header: chain.header(alg: "HS256")).dropLast()
            return signed + "." + Base64URL.encode(HMACSHA256.authenticate(Array(signed.utf8), key: chain.leaf.certificate.der))
        },
        Attack(3, "missing", .algorithm) { chain.sign(Sample.whole, header: chain.header().replacing(#""alg":"ES256","#, with: "")) },
        Attack(3, "a list", .algorithm) { chain.sign(Sample.whole, header: chain.header().replacing(#""ES256""#, with: #"["ES256"]"#)) },
        Attack(3, "null", .algorithm) { chain.sign(Sample.whole, header: chain.header().replacing(#""ES256""#, with: "null")) },
    ]
    + ["ES384", "RS256", "es256", "ES256K", "ES256 ", ""].map { alg in
        Attack(3, alg, .algorithm) { chain.sign(Sample.whole, header: chain.header(alg: alg)) }
    }

private let headerAttacks: [Attack] = [
    Attack(19, "jwk, jku, x5u and kid beside the chain", nil) {
        let more = #","jwk":{"kty":"EC"},"jku":"https://example.com","x5u":"https://example.com","kid":"x""#
        return chain.sign(Sample.whole, header: chain.header(more: more))
    },
    Attack(19, "signed with the key in jwk", .badSignature) {
        chain.sign(Sample.whole, header: chain.header(more: #","jwk":{"kty":"EC"}"#), key: .generate())
    },
    Attack(20, "crit", .malformed) { chain.sign(Sample.whole, header: chain.header(more: #","crit":["b64"],"b64":false"#)) },
    Attack(20, "crit of null", .malformed) { chain.sign(Sample.whole, header: chain.header(more: #","crit":null"#)) },
    Attack(21, "alg twice", .malformed) { chain.sign(Sample.whole, header: chain.header(more: #","alg":"ES256""#)) },
    Attack(21, "alg twice, once with an escape", .malformed) {
        chain.sign(Sample.whole, header: chain.header(more: #","al\u0067":"none""#))
    },
    Attack(21, "x5c twice", .malformed) { chain.sign(Sample.whole, header: chain.header(more: #","x5c":[]"#)) },
    Attack(21, "a member twice in the payload", .malformed) {
        chain.sign(Sample.whole.replacing(#""version":"2.0""#, with: #""version":"2.0","notificationType":"REFUND""#))
    },
    Attack(21, "bundleId twice in data", .malformed) {
        chain.sign(Sample.whole.replacing(#""bundleId":"com.acme.app""#, with: #""bundleId":"com.acme.app","bundleId":"com.evil""#))
    },
]

private let signatureAttacks: [Attack] = [
    Attack(22, "63 bytes", .badSignature) { withSignature(signatureBytes.dropLast()) },
    Attack(22, "65 bytes", .badSignature) { withSignature(signatureBytes + [0]) },
    Attack(22, "none at all", .badSignature) { withSignature([]) },
    Attack(22, "DER", .badSignature) {
        let (r, s) = (signatureBytes.prefix(32), signatureBytes.suffix(32))
        return withSignature([0x30, 0x46, 0x02, 0x21, 0] + r + [0x02, 0x21, 0] + s)
    },
    Attack(22, "r is zero", .badSignature) { withSignature(zero + signatureBytes.suffix(32)) },
    Attack(22, "s is zero", .badSignature) { withSignature(signatureBytes.prefix(32) + zero) },
    Attack(22, "both zero", .badSignature) { withSignature(zero + zero) },
    Attack(22, "r is n", .badSignature) { withSignature(order + signatureBytes.suffix(32)) },
    Attack(22, "s is n", .badSignature) { withSignature(signatureBytes.prefix(32) + order) },
    Attack(23, "s replaced by n - s", nil) { withSignature(signatureBytes.prefix(32) + negated(signatureBytes.suffix(32))) },
    Attack(24, "a spare bit of the last character", .malformed) {
        let jws = chain.sign(Sample.whole)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = jws.last.flatMap { alphabet.firstIndex(of: $0) } ?? 0
        return jws.dropLast() + String(alphabet[last + 1])
    },
    Attack(26, "a digit of the payload changed", .badSignature) {
        let parts = chain.sign(Sample.whole).split(separator: ".")
        let changed = Sample.whole.replacing("900100200", with: "900100201")
        return parts[0] + "." + Base64URL.encode(Array(changed.utf8)) + "." + parts[2]
    },
    Attack(26, "a part of the header that is not read changed", .badSignature) {
        let parts = chain.sign(Sample.whole).split(separator: ".")
        return Base64URL.encode(Array(chain.header([chain.x5c[0], chain.x5c[1], "x"]).utf8)) + "." + parts[1] + "." + parts[2]
    },
    Attack(26, "the signature of another payload", .badSignature) {
        let other = chain.sign(Sample.notification()).split(separator: ".")
        return withSignature(String(other[2]))
    },
]

private let formAttacks: [Attack] = [
    Attack(25, "padding", .malformed) { chain.sign(Sample.whole) + "==" },
    Attack(25, "a plus in the payload", .malformed) { change("+") },
    Attack(25, "a slash in the payload", .malformed) { change("/") },
    Attack(25, "white space in the payload", .malformed) { change(" ") },
    Attack(25, "a null byte in the payload", .malformed) { change("\0") },
    Attack(25, "a character that is not ASCII", .malformed) { change("é") },
    Attack(25, "a line end", .malformed) { chain.sign(Sample.whole) + "\n" },
    Attack(25, "white space before", .malformed) { " " + chain.sign(Sample.whole) },
    Attack(25, "a second JWS behind", .malformed) { chain.sign(Sample.whole) + chain.sign(Sample.whole) },
    Attack(25, "four parts", .malformed) { chain.sign(Sample.whole) + ".AAAA" },
    Attack(25, "two parts", .malformed) { "AAAA.AAAA" },
    Attack(25, "dots alone", .malformed) { ".." },
    Attack(25, "nothing", .malformed) { "" },
    Attack(27, "larger than a mebibyte", .malformed) { chain.sign(Sample.notification(["filler": .string(padding(1 << 20))])) },
    Attack(27, "a long x5c", .chainLength) { chain.sign(Sample.whole, header: chain.header(Array(repeating: "AAAA", count: 1000))) },
    Attack(27, "a very long x5c", .malformed) { chain.sign(Sample.whole, header: chain.header(Array(repeating: "AAAA", count: 20_000))) },
    Attack(27, "a long certificate", .certificate) {
        chain.sign(Sample.whole, header: chain.header([padding(40_000), chain.x5c[1], chain.x5c[2]]))
    },
]

private let jsonAttacks: [Attack] = [
    Attack(27, "nested lists", .malformed) { chain.sign(#"{"a":\#(padding(50_000, "["))"#) },
    Attack(27, "nested objects in the header", .malformed) {
        chain.sign(Sample.whole, header: chain.header(more: #","a":"# + String(repeating: #"{"a":"#, count: 5_000)))
    },
    Attack(27, "a number of 1000 digits", .malformed) { chain.sign(#"{"a":\#(padding(1000, "9"))}"#) },
    Attack(27, "300 members", .malformed) { chain.sign("{" + (0..<300).map { #""m\#($0)":1"# }.joined(separator: ",") + "}") },
    Attack(27, "64 levels", nil) { chain.sign(#"{"a":\#(padding(63, "["))\#(padding(63, "]"))}"#) },
    Attack(27, "65 levels", .malformed) { chain.sign(#"{"a":\#(padding(64, "["))\#(padding(64, "]"))}"#) },
    Attack(28, "invalid UTF-8", .malformed) { chain.sign(bytes: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)) },
    Attack(28, "an overlong slash", .malformed) { chain.sign(bytes: Array(#"{"a":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)) },
    Attack(28, "a surrogate in UTF-8", .malformed) { chain.sign(bytes: Array(#"{"a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8)) },
    Attack(28, "a byte order mark", .malformed) { chain.sign(bytes: [0xEF, 0xBB, 0xBF] + Array(Sample.whole.utf8)) },
    Attack(28, "UTF-16", .malformed) { chain.sign(bytes: Sample.whole.utf8.flatMap { [$0, 0] }) },
    Attack(28, "a null character", nil) { chain.sign(Sample.notification(["version": "\u{0}"])) },
    Attack(28, "a bare control character", .malformed) { chain.sign(#"{"a":"\#n"}"#.replacing("\\n", with: "\n")) },
    Attack(28, "not an object", .malformed) { chain.sign("[]") },
    Attack(28, "an empty payload", .malformed) { chain.sign("") },
    Attack(28, "text behind the object", .malformed) { chain.sign(Sample.whole + "{}") },
    Attack(28, "an open object", .malformed) { chain.sign(String(Sample.whole.dropLast())) },
]

private func padding(_ count: Int, _ text: String = "A") -> String { String(repeating: text, count: count) }

private let signed = chain.sign(Sample.whole)
private let signatureBytes: [UInt8] = Base64URL.decode(Array(signed.split(separator: ".")[2].utf8)) ?? []
private let zero = [UInt8](repeating: 0, count: 32)
private let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
]

/// The sound message with another signature.
private func withSignature(_ signature: some Sequence<UInt8>) -> String { withSignature(Base64URL.encode(Array(signature))) }

private func withSignature(_ signature: String, header: String? = nil) -> String {
    let parts = signed.split(separator: ".")
    return (header.map { Base64URL.encode(Array($0.utf8)) } ?? String(parts[0])) + "." + parts[1] + "." + signature
}

/// The sound message with another character in the middle of its payload.
private func change(_ character: Character) -> String {
    var parts = signed.split(separator: ".").map(String.init)
    let middle = parts[1].index(parts[1].startIndex, offsetBy: 100)
    parts[1].replaceSubrange(middle...middle, with: String(character))
    return parts.joined(separator: ".")
}

/// n - s.
private func negated(_ s: some Sequence<UInt8>) -> [UInt8] {
    var borrow = 0
    return zip(order, Array(s)).reversed().map { n, s in
        let difference = Int(n) - Int(s) - borrow
        borrow = difference < 0 ? 1 : 0
        return UInt8(truncatingIfNeeded: difference)
    }.reversed()
}
