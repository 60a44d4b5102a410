import Testing

@testable import Crypto

/// RFC 6979 appendix A.2.5, message "sample" with SHA-256.
private let point =
    "0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB67903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
private let r = "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
private let s = "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
private let signature = r + s
private let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
private let zero = String(repeating: "00", count: 32)
private let ones = String(repeating: "FF", count: 32)
private let message = Array("sample".utf8)

@Test func signatureOfTheRFC() throws {
    let key = try P256PublicKey(x963: bytes(hex: point))
    #expect(key.isValid(signature: bytes(hex: signature), for: message))
    #expect(!key.isValid(signature: bytes(hex: signature), for: message + [0]))
}

/// The signature of the RFC has a high s; n - s has a low one. Both hold.
@Test func bothHalvesOfSAreAccepted() throws {
    let key = try P256PublicKey(x963: bytes(hex: point))
    let raw = bytes(hex: signature)
    #expect(key.isValid(signature: raw.prefix(32) + negated(Array(raw.suffix(32))), for: message))
}

@Test(arguments: [
    ("zero r", zero, s), ("zero s", r, zero), ("both zero", zero, zero), ("r is n", order, s), ("s is n", r, order), ("ones", ones, ones),
    ("swapped", s, r), ("63 bytes", r, String(s.dropLast(2))), ("65 bytes", r, s + "00"), ("empty", "", ""),
])
func signatureIsRefused(_ what: String, _ r: String, _ s: String) throws {
    let key = try P256PublicKey(x963: bytes(hex: point))
    #expect(!key.isValid(signature: bytes(hex: r + s), for: message))
}

/// Signs often enough that r and s with leading zero bytes and with a high first bit occur.
@Test func signAndVerify() {
    let key = P256PrivateKey.generate()
    for number in 0..<600 {
        let message = Array("message \(number)".utf8)
        let signature = key.sign(message)
        #expect(signature.count == 64)
        #expect(key.publicKey.isValid(signature: signature, for: message))
    }
}

@Test func oneKeyServesManyTasks() async {
    let key = P256PrivateKey.generate()
    let signature = key.sign(message)
    await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
            group.addTask { (0..<200).allSatisfy { _ in key.publicKey.isValid(signature: signature, for: message) } }
        }
        for await isValid in group { #expect(isValid) }
    }
}

@Test func pemOfAPrivateKey() throws {
    let key = P256PrivateKey.generate()
    #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let read = try P256PrivateKey(pem: key.pem)
    #expect(key.publicKey.isValid(signature: read.sign(message), for: message))
}

/// The private key of the RFC's example.
@Test func sec1IsRead() throws {
    let sec1 = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49
        AwEHoUQDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8
        maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
        -----END EC PRIVATE KEY-----
        """
    let key = try P256PrivateKey(pem: sec1)
    #expect(try P256PublicKey(x963: bytes(hex: point)).isValid(signature: key.sign(message), for: message))
}

@Test func otherKeysAreRefused() {
    for kind in [CertificateKey.Kind.p384, .rsa2048] {
        #expect(throws: CryptoError(.key, "the key is not on the curve P-256")) {
            try P256PrivateKey(pem: CertificateKey.generate(kind).pem)
        }
    }
    for text in ["", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        #expect(throws: CryptoError.self) { try P256PrivateKey(pem: text) }
        #expect(throws: CryptoError.self) { try P256PublicKey(pem: text) }
    }
    var offCurve = bytes(hex: point)
    offCurve[64] ^= 1
    #expect(throws: CryptoError(.key, "not a point of P-256")) { try P256PublicKey(x963: offCurve) }
    #expect(throws: CryptoError.self) { try P256PublicKey(x963: [4]) }
}

/// n - s.
private func negated(_ s: [UInt8]) -> [UInt8] {
    var result = bytes(hex: order)
    var borrow = 0
    for index in result.indices.reversed() {
        let difference = Int(result[index]) - Int(s[index]) - borrow
        borrow = difference < 0 ? 1 : 0
        result[index] = UInt8(truncatingIfNeeded: difference)
    }
    return result
}
