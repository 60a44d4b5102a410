import Crypto
import Domain

/// Makes messages that look like the App Store's and must not pass.
struct Forger {
    struct Forgery {
        var name: String
        var body: [UInt8]
    }

    private let chain: SigningChain
    private let payload: [UInt8]
    private let victim: StoreNotification
    private let validity: ClosedRange<Int64>
    private let now: Timestamp

    /// - Parameter victim: What the attacker wants to be believed.
    init(identity: SimulatorIdentity, victim: StoreNotification, now: Timestamp) {
        chain = identity.chain
        payload = encodeJSON(victim.payload(identity.signer))
        self.victim = victim
        self.now = now
        validity = (now - .days(100)).milliseconds...(now + .days(100)).milliseconds
    }

    var forgeries: [Forgery] { algorithms + strangers + certificates + shapes + signatures + bodies }

    // MARK: Algorithms

    private var algorithms: [Forgery] {
        let none = encoded(header(alg: #""none""#)) + "." + encoded(payload)
        let hmacInput = encoded(header(alg: #""HS256""#)) + "." + encoded(payload)
        let key = Array(chain.x5c[0].utf8)
        let hmac = hmacInput + "." + Base64URL.encode(HMACSHA256.authenticate(Array(hmacInput.utf8), key: key))
        var list = [
            message("alg none, empty signature", none + "."), message("alg none, two parts", none),
            message("alg HS256 with a public value as its key", hmac),
        ]
        for alg in [#""ES384""#, #""RS256""#, #""es256""#, #"["ES256"]"#, "null"] {
            list.append(signed("alg \(alg)", header: header(alg: alg)))
        }
        list.append(signed("no alg", header: #"{"x5c":\#(x5c(chain.x5c))}"#))
        list.append(signed("alg twice", header: #"{"alg":"none","alg":"ES256","x5c":\#(x5c(chain.x5c))}"#))
        list.append(signed("crit", header: #"{"alg":"ES256","crit":["x"],"x":1,"x5c":\#(x5c(chain.x5c))}"#))
        return list
    }

    // MARK: Other people's chains

    private var strangers: [Forgery] {
        let stranger = SigningChain.generate(at: now)
        let posing = SimulatorSigner(key: stranger.leafKey, x5c: [stranger.x5c[0], stranger.x5c[1], chain.x5c[2]])
        let crossed = SimulatorSigner(key: stranger.leafKey, x5c: [stranger.x5c[0], chain.x5c[1], chain.x5c[2]])
        let borrowed = SimulatorSigner(key: stranger.leafKey, x5c: chain.x5c)
        return [
            message("own chain, its root named like the real one", stranger.signer.sign(payload)),
            message("own chain, the real root as third certificate", posing.sign(payload)),
            message("own leaf below the real intermediate", crossed.sign(payload)),
            message("real certificates, signed with another key", borrowed.sign(payload)),
        ]
    }

    // MARK: Certificates under the trusted root that may not sign

    private var certificates: [Forgery] {
        let leafMarker = SigningChain.leafMarker
        let past = (now - .days(300)).milliseconds...(now - .days(200)).milliseconds
        let future = (now + .days(200)).milliseconds...(now + .days(300)).milliseconds
        var list = [
            leaf("leaf without its marker", .leaf("Leaf", validity: validity, marker: nil)),
            leaf("expired leaf", .leaf("Leaf", validity: past, marker: leafMarker)),
            leaf("leaf not valid yet", .leaf("Leaf", validity: future, marker: leafMarker)),
        ]
        var named = CertificateTemplate.leaf("Leaf", validity: validity, marker: nil)
        named.subjectAttributes = [("2.5.4.11", leafMarker)]
        list.append(leaf("marker in the subject only", named))
        list.append(below("intermediate without its marker", .intermediate("Between", validity: validity, marker: nil)))
        var plain = CertificateTemplate.intermediate("Between", validity: validity, marker: SigningChain.intermediateMarker)
        plain.isCA = false
        plain.pathLength = nil
        list.append(below("intermediate that is no authority", plain))
        list.append(leafAsIssuer)
        return list
    }

    private func leaf(_ name: String, _ template: CertificateTemplate) -> Forgery {
        issued(name, template, by: chain.issuingIntermediate)
    }

    private func below(_ name: String, _ template: CertificateTemplate) -> Forgery {
        let intermediate = CertificateFactory.issue(template, key: .generate(.p384), by: chain.issuingRoot)
        return issued(name, .leaf("Leaf", validity: validity, marker: SigningChain.leafMarker), by: intermediate)
    }

    private var leafAsIssuer: Forgery {
        let template = CertificateTemplate.leaf("Leaf", validity: validity, marker: SigningChain.leafMarker)
        let issuer = CertificateFactory.issue(template, key: .generate(.p256), by: chain.issuingIntermediate)
        return issued("leaf issued by a leaf", template, by: issuer)
    }

    private func issued(_ name: String, _ template: CertificateTemplate, by issuer: IssuedCertificate) -> Forgery {
        let key = CertificateKey.generate(.p256)
        let leaf = CertificateFactory.issue(template, key: key, by: issuer)
        guard let signingKey = key.p256 else { preconditionFailure("a key just made on P-256") }
        let certificates = [leaf.certificate, issuer.certificate, chain.root].map { Base64.encode($0.der) }
        return message(name, SimulatorSigner(key: signingKey, x5c: certificates).sign(payload))
    }

    // MARK: Lists of certificates

    private var shapes: [Forgery] {
        let real = chain.x5c
        let urlSafe = [chain.leaf, chain.intermediate, chain.root].map { Base64URL.encode($0.der) }
        let pem = [chain.leaf, chain.intermediate, chain.root].map { $0.pem.replacing("\n", with: "\\n") }
        let trailing = Base64.encode(chain.leaf.der + [0])
        let lists: [(String, String)] = [
            ("no certificates", "[]"), ("one certificate", x5c([real[0]])), ("two certificates", x5c(Array(real.prefix(2)))),
            ("four certificates", x5c(real + [real[2]])), ("leaf and intermediate swapped", x5c([real[1], real[0], real[2]])),
            ("certificates of null", "[null,null,null]"), ("certificates that are numbers", "[1,2,3]"),
            ("certificates as one text", #""x""#),
            ("certificates in base64url", x5c(urlSafe)), ("certificates in PEM", x5c(pem)),
            ("a byte behind the leaf", x5c([trailing, real[1], real[2]])),
            ("a line break in the leaf", x5c([real[0].prefix(64) + "\\n" + real[0].dropFirst(64), real[1], real[2]])),
        ]
        return lists.map { signed($0.0, header: #"{"alg":"ES256","x5c":\#($0.1)}"#) }
    }

    // MARK: Signatures

    private var signatures: [Forgery] {
        let parts = chain.signer.sign(payload).split(separator: ".").map(String.init)
        let raw = Base64URL.decode(Array(parts[2].utf8)) ?? []
        let altered = encoded(payload + [0x20])
        func with(_ signature: [UInt8]) -> String { "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))" }
        return [
            message("payload changed after signing", "\(parts[0]).\(altered).\(parts[2])"),
            message("signature of 63 bytes", with(Array(raw.dropLast()))), message("signature of 65 bytes", with(raw + [0])),
            message("signature of zeros", with([UInt8](repeating: 0, count: 64))),
            message("r not below the order", with([UInt8](repeating: 0xFF, count: 32) + raw.suffix(32))),
            message("signature in DER", with([0x30, 0x44, 0x02, 0x20] + raw.prefix(32) + [0x02, 0x20] + raw.suffix(32))),
            message("padding behind the signature", parts.joined(separator: ".") + "=="),
            message("white space behind the signature", parts.joined(separator: ".") + " "),
            message("a fourth part", parts.joined(separator: ".") + "." + parts[2]),
        ]
    }

    // MARK: Bodies

    private var bodies: [Forgery] {
        let transaction = victim.transaction.map { chain.signer.sign($0) } ?? ""
        return [
            message("a transaction in place of a notification", transaction),
            Forgery(name: "no signedPayload", body: Array("{}".utf8)), Forgery(name: "an empty body", body: []),
            Forgery(name: "a list", body: Array("[]".utf8)),
            Forgery(name: "signedPayload that is a number", body: Array(#"{"signedPayload":1}"#.utf8)),
            message("signedPayload without a dot", "x"), Forgery(name: "bytes that are no UTF-8", body: [0x7B, 0xFF, 0xFE, 0x7D]),
            message("signed text that is no JSON", chain.signer.sign("not JSON")),
            message("over a megabyte", String(repeating: "A", count: 1 << 20)),
        ]
    }

    // MARK: Parts

    private func header(alg: String) -> String { #"{"alg":\#(alg),"x5c":\#(x5c(chain.x5c))}"# }
    private func x5c(_ certificates: [some StringProtocol]) -> String {
        "[" + certificates.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
    private func encoded(_ text: String) -> String { encoded(Array(text.utf8)) }
    private func encoded(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    /// Signed with the genuine key, under a header that is wrong.
    private func signed(_ name: String, header: String) -> Forgery {
        message(name, SimulatorSigner(key: chain.leafKey, header: header).sign(payload))
    }

    private func message(_ name: String, _ signedPayload: String) -> Forgery {
        Forgery(name: name, body: Array(#"{"signedPayload":"\#(signedPayload)"}"#.utf8))
    }
}
