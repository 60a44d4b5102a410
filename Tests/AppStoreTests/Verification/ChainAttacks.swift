import AppStore
import Crypto

private let now = SigningChain.now
private let day = SigningChain.day
private let chain = SigningChain.standard
private let leafMarker = "1.2.840.113635.100.6.11.1"

/// Attacks on the certificates, numbers 4 to 18.
let chainAttacks: [Attack] = [
    Attack(4, "own chain, the root's name copied", .untrustedChain) { SigningChain().sign(Sample.whole) },
    Attack(5, "own chain, the true root in x5c[2]", .untrustedChain) {
        let own = SigningChain()
        return own.sign(Sample.whole, header: own.header([own.x5c[0], own.x5c[1], chain.x5c[2]]))
    },
    // Decided: x5c[2] is counted and not read. Apple's own mock data has a re-issued root there.
    Attack(6, "garbage in x5c[2]", nil) { sign(chain.x5c[0], chain.x5c[1], "!") },
    Attack(6, "nothing in x5c[2]", nil) { sign(chain.x5c[0], chain.x5c[1], "") },
    Attack(6, "another root in x5c[2]", nil) { sign(chain.x5c[0], chain.x5c[1], SigningChain().x5c[2]) },
    Attack(7, "expired leaf", .expiredCertificate, leaf: { $0.validity = now - 9 * day...now - day }),
    Attack(7, "leaf not valid yet", .expiredCertificate, leaf: { $0.validity = now + day...now + 9 * day }),
    Attack(7, "expired intermediate", .expiredCertificate, intermediate: { $0.validity = now - 9 * day...now - day }),
    Attack(9, "leaf without its marker", .wrongPurpose, leaf: { $0.extensions = [] }),
    Attack(9, "intermediate without its marker", .wrongPurpose, intermediate: { $0.extensions = [] }),
    Attack(10, "another certificate of the same issuer", .wrongPurpose, leaf: { $0.extensions = [.init(oid: "1.2.840.113635.100.6.1.2")] }),
    Attack(
        11, "the marker in the subject only", .wrongPurpose,
        leaf: {
            $0.extensions = []
            $0.subjectAttributes = [(leafMarker, leafMarker)]
        }),
    Attack(
        11, "the marker in another extension's value only", .wrongPurpose,
        leaf: {
            let marker: [UInt8] = [0x06, 0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x0B, 0x01]
            $0.extensions = [.init(oid: "1.2.3.4", value: marker)]
        }),
    Attack(12, "leaf and intermediate exchanged", .untrustedChain) { sign(chain.x5c[1], chain.x5c[0], chain.x5c[2]) },
    Attack(12, "own leaf under the true intermediate", .untrustedChain) {
        let own = SigningChain()
        return own.sign(Sample.whole, header: own.header([own.x5c[0], chain.x5c[1], chain.x5c[2]]))
    },
    Attack(13, "another true leaf, the signature kept", .badSignature) {
        let parts = chain.sign(Sample.whole).split(separator: ".")
        return Base64URL.encode(Array(chain.withAnotherLeaf().header().utf8)) + "." + parts[1] + "." + parts[2]
    },
    Attack(14, "x5c of 0", .chainLength) { chain.sign(Sample.whole, header: chain.header([])) },
    Attack(14, "x5c of 1", .chainLength) { chain.sign(Sample.whole, header: chain.header(Array(chain.x5c[..<1]))) },
    Attack(14, "x5c of 2", .chainLength) { chain.sign(Sample.whole, header: chain.header(Array(chain.x5c[..<2]))) },
    Attack(14, "x5c of 4", .chainLength) { chain.sign(Sample.whole, header: chain.header(chain.x5c + chain.x5c[2...])) },
    Attack(14, "x5c of the texts null", .certificate) { sign("null", "null", "null") },
    Attack(14, "x5c of null", .malformed) { chain.sign(Sample.whole, header: #"{"alg":"ES256","x5c":[null,null,null]}"#) },
    Attack(14, "x5c of numbers", .malformed) { chain.sign(Sample.whole, header: #"{"alg":"ES256","x5c":[1,2,3]}"#) },
    Attack(14, "x5c a text", .malformed) { chain.sign(Sample.whole, header: #"{"alg":"ES256","x5c":"\#(chain.x5c[0])"}"#) },
    Attack(14, "no x5c", .malformed) { chain.sign(Sample.whole, header: #"{"alg":"ES256"}"#) },
    Attack(
        15, "intermediate without the CA flag", .untrustedChain,
        intermediate: {
            $0.isCA = false
            $0.pathLength = nil
        }),
    Attack(15, "intermediate that may not sign certificates", .untrustedChain, intermediate: { $0.keyUsage = ["cRLSign"] }),
    Attack(15, "the root's path length is 0", .untrustedChain, root: { $0.pathLength = 0 }),
    Attack(15, "a leaf as the issuer", .untrustedChain) {
        var deeper = chain
        deeper.intermediate = chain.leaf
        deeper.leaf = CertificateFactory.issue(
            .leaf("Below a leaf", validity: now - day...now + day, marker: leafMarker), key: .generate(.p256), by: chain.leaf)
        return deeper.sign(Sample.whole)
    },
    Attack(15, "the root as the intermediate", .untrustedChain) {
        let leaf = CertificateFactory.issue(
            .leaf("Below the root", validity: now - day...now + day, marker: leafMarker), key: .generate(.p256), by: chain.root)
        return chain.sign(
            Sample.whole, header: chain.header([Base64.encode(leaf.certificate.der), chain.x5c[2], chain.x5c[2]]), key: leaf.key.p256)
    },
    Attack(16, "P-384 leaf", .certificate, leafKey: .p384),
    Attack(16, "RSA leaf", .certificate, leafKey: .rsa2048),
    Attack(17, "certificate in base64url", .certificate) { sign(base64URLOnly, chain.x5c[1], chain.x5c[2]) },
    Attack(17, "certificate with line breaks", .certificate) {
        sign(chain.x5c[0].prefix(64) + "\\n" + chain.x5c[0].dropFirst(64), chain.x5c[1], chain.x5c[2])
    },
    Attack(17, "certificate in PEM armour", .certificate) {
        sign(chain.leaf.certificate.pem.replacing("\n", with: "\\n"), chain.x5c[1], chain.x5c[2])
    },
    Attack(18, "bytes behind the certificate", .certificate) {
        sign(Base64.encode(chain.leaf.certificate.der + [0]), chain.x5c[1], chain.x5c[2])
    },
    Attack(18, "a BER length in the intermediate", .certificate) {
        let der = chain.intermediate.certificate.der
        return sign(chain.x5c[0], Base64.encode([der[0], 0x83, 0] + der[2...]), chain.x5c[2])
    },
]

/// Signed soundly by the standard leaf, under these certificates.
private func sign(_ x5c: String...) -> String { chain.sign(Sample.whole, header: chain.header(x5c)) }

/// The leaf in the alphabet of URLs: a leaf whose encoding shows the difference is made if need be.
private var base64URLOnly: String {
    var leaf = chain
    while !leaf.x5c[0].contains(where: { "+/".contains($0) }) { leaf = chain.withAnotherLeaf() }
    return leaf.x5c[0].replacing("+", with: "-").replacing("/", with: "_")
}
