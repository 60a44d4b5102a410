import Testing

@testable import Crypto

private let day: Int64 = 86_400_000
private let now: Int64 = 1_700_000_000_000
private let validity = now - 30 * day...now + 300 * day
private let marker = "1.2.840.113635.100.6.11.1"

/// Root, intermediate and leaf, with one thing changed.
private struct Chain {
    var root, intermediate, leaf: IssuedCertificate

    init(
        root: (inout CertificateTemplate) -> Void = { _ in }, intermediate: (inout CertificateTemplate) -> Void = { _ in },
        leaf: (inout CertificateTemplate) -> Void = { _ in }, intermediateSignedWith: CertificateKey? = nil
    ) {
        var templates = [
            CertificateTemplate.root("Root", validity: validity),
            .intermediate("Intermediate", validity: validity, marker: "1.2.840.113635.100.6.2.1"),
            .leaf("Leaf", validity: validity, marker: marker),
        ]
        root(&templates[0])
        intermediate(&templates[1])
        leaf(&templates[2])
        self.root = CertificateFactory.selfSigned(templates[0])
        self.intermediate = CertificateFactory.issue(
            templates[1], key: .generate(.p384), by: self.root, signedWith: intermediateSignedWith)
        self.leaf = CertificateFactory.issue(templates[2], key: .generate(.p256), by: self.intermediate)
    }

    func error(at instant: Int64 = now) -> PathError? {
        do throws(PathError) {
            try CertificatePath.verify(
                leaf: leaf.certificate, intermediate: intermediate.certificate, roots: [root.certificate], atMilliseconds: instant)
            return nil
        } catch { return error }
    }
}

@Test func pathOfThree() throws {
    let chain = Chain()
    #expect(chain.error() == nil)
    let path = try CertificatePath.verify(
        leaf: chain.leaf.certificate, intermediate: chain.intermediate.certificate,
        roots: [Chain().root.certificate, chain.root.certificate], atMilliseconds: now)
    #expect(path.validity == validity.lowerBound..<validity.upperBound + 1000)
}

@Test func whatACertificateSays() throws {
    let leaf = Chain().leaf
    #expect(leaf.certificate.subjectCommonName == "Leaf")
    #expect(leaf.certificate.notBefore == validity.lowerBound)
    #expect(leaf.certificate.notAfter == validity.upperBound)
    #expect(leaf.certificate.hasExtension(oid: marker))
    #expect(!leaf.certificate.hasExtension(oid: "1.2.840.113635.100.6.2.1"))
    #expect(!leaf.certificate.hasExtension(oid: "nonsense"))
    let key = try #require(leaf.certificate.p256PublicKey)
    let signature = try #require(leaf.key.p256).sign([1, 2, 3])
    #expect(key.isValid(signature: signature, for: [1, 2, 3]))
    #expect(Chain().root.certificate.p256PublicKey == nil)
}

/// RFC 5280 section 4.1.2.5: both ends belong to the validity.
@Test func validityToTheSecond() {
    let chain = Chain()
    #expect(chain.error(at: validity.lowerBound) == nil)
    #expect(chain.error(at: validity.lowerBound - 1) == .expired)
    #expect(chain.error(at: validity.upperBound + 999) == nil)
    #expect(chain.error(at: validity.upperBound + 1000) == .expired)
    #expect(Chain(leaf: { $0.validity = now - 2 * day...now - day }).error() == .expired)
    #expect(Chain(leaf: { $0.validity = now + day...now + 2 * day }).error() == .expired)
    #expect(Chain(intermediate: { $0.validity = now - 2 * day...now - day }).error() == .expired)
    #expect(chain.error(at: .min) == .expired)
    #expect(chain.error(at: .max) == .expired)
}

@Test func foreignPathsAreUntrusted() {
    var chain = Chain()
    chain.root = Chain().root  // the same name, another key
    #expect(chain.error() == .untrusted)
    chain = Chain()
    swap(&chain.leaf, &chain.intermediate)
    #expect(chain.error() != nil)
    chain = Chain()
    chain.leaf = Chain().leaf
    #expect(chain.error() == .untrusted)
    chain = Chain()
    chain.leaf = chain.root
    #expect(chain.error() != nil)
    chain = Chain()
    chain.intermediate = chain.root
    #expect(chain.error() != nil)
    #expect(Chain(intermediateSignedWith: .generate(.p384)).error() == .untrusted)
}

@Test func issuersMustBeAuthorities() {
    #expect(
        Chain(intermediate: {
            $0.isCA = false; $0.pathLength = nil
        }).error() != nil)
    #expect(Chain(intermediate: { $0.keyUsage = ["digitalSignature"] }).error() != nil)
    #expect(Chain(root: { $0.isCA = false }).error() != nil)
    #expect(Chain(root: { $0.pathLength = 0 }).error() == .invalid(reason: "path length constraint exceeded"))
}

@Test func aChainOfFourOrTwoIsNotThree() {
    let chain = Chain()
    let second = CertificateFactory.issue(
        .intermediate("Second", validity: validity, marker: nil), key: .generate(.p384), by: chain.intermediate)
    var longer = chain
    longer.leaf = CertificateFactory.issue(.leaf("Leaf", validity: validity, marker: nil), key: .generate(.p256), by: second)
    longer.intermediate = second
    #expect(longer.error() != nil)
    var shorter = chain
    shorter.leaf = CertificateFactory.issue(.leaf("Leaf", validity: validity, marker: nil), key: .generate(.p256), by: chain.root)
    #expect(shorter.error() == .invalid(reason: "the path is not leaf, intermediate, root"))
}

@Test func onlyOneCertificateInStrictDER() {
    let der = Chain().leaf.certificate.der
    #expect(throws: Never.self) { try Certificate(der: der) }
    var indefinite = der
    indefinite[1] = 0x80
    let long = [der[0], 0x83, 0x00] + der[2...]
    for wrong in [[], [0x30], der + [0], Array(der.dropLast()), long, indefinite, der + der, Array(repeating: 0x30, count: 5000)] {
        #expect(throws: CryptoError.self) { try Certificate(der: wrong) }
    }
    #expect(throws: CryptoError.self) { try Certificate(der: withALongerLength(der)) }
}

/// The same certificate, but the length of its last element, the signature value, written in one byte more than needed: BER, not DER.
private func withALongerLength(_ der: [UInt8]) throws -> [UInt8] {
    let last = try #require(der.indices.first { der[$0] == 0x03 && $0 + 2 < der.count && $0 + 2 + Int(der[$0 + 1]) == der.count })
    var variant = der
    variant.insert(0x81, at: last + 1)
    try #require(der[1] == 0x82)
    let length = (Int(der[2]) << 8 | Int(der[3])) + 1
    variant[2] = UInt8(length >> 8)
    variant[3] = UInt8(length & 0xFF)
    return variant
}

@Test func pemAndDERFiles() throws {
    let chain = Chain()
    let der = chain.root.certificate.der
    #expect(try Certificate.fromPEMorDER(der).map(\.der) == [der])
    let pem = "a comment\n" + chain.root.certificate.pem + chain.leaf.certificate.pem
    #expect(try Certificate.fromPEMorDER(Array(pem.utf8)).map(\.der) == [der, chain.leaf.certificate.der])
    #expect(throws: CryptoError.self) { try Certificate.fromPEMorDER([]) }
    #expect(throws: CryptoError.self) { try Certificate.fromPEMorDER(Array(chain.leaf.key.pem.utf8)) }
}
