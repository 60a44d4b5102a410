import AppStoreSimulator
import Crypto
import Domain
import HTTPClient

extension FuzzTarget {
    /// Each text has one meaning: what decodes encodes to the same text.
    static let encodings = FuzzTarget(name: "encodings", seeds: { bytes("", "AA", "AAA", "AAAA", "-_8", "+/8=", "AA==", "AB") }) {
        { input in
            if let decoded = Base64URL.decode(input) {
                precondition(Array(Base64URL.encode(decoded).utf8) == input, "two texts of base64url for the same bytes")
            }
            if let decoded = Base64.decode(input) {
                precondition(Array(Base64.encode(decoded).utf8) == input, "two texts of base64 for the same bytes")
            }
            precondition(Base64URL.decode(Array(Base64URL.encode(input).utf8)) == input, "base64url does not come back")
            precondition(Base64.decode(Array(Base64.encode(input).utf8)) == input, "base64 does not come back")
        }
    }

    static let certificate = FuzzTarget(
        name: "certificate",
        seeds: {
            let chain = SigningChain.generate(at: Timestamp(milliseconds: 1_790_000_000_000), isPadded: false)
            return vectors("apple/chain") + vectors("certs") + vectors("apple").filter { $0.first == 0x30 }
                + [chain.leaf.der, chain.root.der, Array(chain.leaf.pem.utf8), Array(P256PrivateKey.generate().pem.utf8)]
        }
    ) {
        { input in
            if let certificate = try? Certificate(der: input) {
                precondition(certificate.der == input, "a certificate of other bytes")
                read(certificate)
            }
            for certificate in (try? Certificate.fromPEMorDER(input)) ?? [] { read(certificate) }
            let text = String(decoding: input, as: UTF8.self)
            _ = try? P256PrivateKey(pem: text)
            _ = try? P256PublicKey(pem: text)
            _ = try? P256PublicKey(x963: input)
        }
    }

    private static func read(_ certificate: Certificate) {
        _ = (certificate.hasExtension(oid: SigningChain.leafMarker), certificate.subjectCommonName, certificate.p256PublicKey)
        _ = (certificate.isFor(host: "example.com"), OCSP.responderURL(of: certificate))
        let again = try? Certificate.fromPEMorDER(Array(certificate.pem.utf8))
        precondition(again?.map(\.der) == [certificate.der], "a certificate that its own PEM does not give back")
    }

    /// Changes to the answer that a certificate is revoked, and any bytes: none says that it is good.
    static let ocsp = FuzzTarget(name: "ocsp", seeds: { [[], [0, 0, 0, 9, 65], [0, 1, 0, 40, 3], [1, 48, 3, 10, 1, 3]] }) {
        let now: Int64 = 1_790_000_000_000
        let chain = SigningChain.generate(at: Timestamp(milliseconds: now), isPadded: false)
        let revoked = OCSPFactory.response(
            .revoked, about: chain.leaf, issuer: chain.intermediate, signedBy: chain.issuingIntermediate, thisUpdate: now - 1000,
            nextUpdate: now + 86_400_000)
        let status = { (response: [UInt8]) in
            try? OCSP.status(in: response, of: chain.leaf, issuer: chain.intermediate, atMilliseconds: now)
        }
        precondition(status(revoked) == .revoked, "the answer that is changed")
        return { input in
            var edits = EditScript(input)
            var response = edits.next() == 1 ? Array(input.dropFirst()) : revoked
            while response.count > 1, let edit = edits.nextEdit() { edit.apply(to: &response) }
            precondition(status(response) != .good, "good, though nobody said so")
            _ = status(input)
        }
    }

    /// Dates, periods and numbers as people and protocols write them.
    static let text = FuzzTarget(
        name: "text",
        seeds: {
            bytes(
                "2026-11-01T10:00Z", "2026-02-29T23:59:59Z", "P1Y2M3DT4H5M6S", "P30D", "PT36H", "P1W", "Sun, 06 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT", "9.99", "-0.000001", "1e3")
        }
    ) {
        { input in
            guard let text = String(validating: input, as: UTF8.self) else { return }
            if let instant = Timestamp(utc: text) { precondition(instant == Timestamp(utc: text)) }
            if let period = CalendarPeriod(iso8601: text) {
                let now = Timestamp(milliseconds: 1_790_000_000_000)
                precondition(now + period >= now, "a period that goes back")
            }
            _ = HTTPDate.milliseconds(text)
            _ = try? MailServer(url: text)
        }
    }
}
