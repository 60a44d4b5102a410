import Testing

@testable import Crypto

func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

@Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
])
func sha256(_ message: String, _ digest: String) {
    #expect(hex(SHA256Digest.hash(Array(message.utf8))) == digest)
}

@Test func sha256OfASlice() {
    let bytes = Array("xabcx".utf8)
    #expect(SHA256Digest.hash(bytes[1..<4].span) == SHA256Digest.hash(Array("abc".utf8)))
}

/// RFC 4231, and the empty key.
@Test(arguments: [
    ("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
        String(repeating: "aa", count: 131),
        "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
])
func hmac(_ key: String, _ message: String, _ code: String) {
    #expect(hex(HMACSHA256.authenticate(bytes(hex: message), key: bytes(hex: key))) == code)
}

@Test func constantTimeComparison() {
    #expect(constantTimeEquals([1, 2], [1, 2]))
    #expect(constantTimeEquals([], []))
    #expect(!constantTimeEquals([1, 2], [1, 3]))
    #expect(!constantTimeEquals([1, 2], [1, 2, 3]))
}

@Test func randomBytesDiffer() {
    #expect(randomBytes(0).isEmpty)
    #expect(randomBytes(32).count == 32)
    #expect(randomBytes(32) != randomBytes(32))
}
