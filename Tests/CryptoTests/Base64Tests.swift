import Testing

@testable import Crypto

/// RFC 4648 section 10.
@Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
])
func base64OfTheRFC(_ plain: String, _ encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(Array(encoded.utf8)) == Array(plain.utf8))
    let unpadded = encoded.replacing("=", with: "")
    #expect(Base64URL.encode(Array(plain.utf8)) == unpadded)
    #expect(Base64URL.decode(Array(unpadded.utf8)) == Array(plain.utf8))
}

@Test func base64OfEveryByteAndLength() {
    for count in 0..<300 {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
        #expect(Base64.decode(Array(Base64.encode(plain).utf8)) == plain)
        #expect(Base64URL.decode(Array(Base64URL.encode(plain).utf8)) == plain)
    }
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
}

@Test(arguments: ["A", "AB", "AAB", "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm9vYmE+", "Zm9vYmE/", "AAAA=", "Zm9vA", "Zm9v\u{e9}", "\0AAA"])
func base64URLRefuses(_ text: String) {
    #expect(Base64URL.decode(Array(text.utf8)) == nil)
}

@Test(arguments: [
    "A", "Zg", "Zg=", "Zh==", "Zm9=", "Zm8", "Zm8=\n", "Zm9v=", "Zm9v====", "====", "Z===", "=AAA", "Zg==Zg==", "Zm-v", "Zm_v", "Zm\n9v",
])
func base64Refuses(_ text: String) {
    #expect(Base64.decode(Array(text.utf8)) == nil)
}
