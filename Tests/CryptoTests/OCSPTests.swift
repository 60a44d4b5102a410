import Testing

@testable import Crypto

private let hour: Int64 = 3_600_000
private let now: Int64 = 1_700_000_000_000
private let validity = now - 1000 * hour...now + 1000 * hour
private let url = "http://ocsp.example.com/intermediate"

/// An issuer below a root, a leaf of it, and what its responder says.
private struct Responder {
    let root = CertificateFactory.selfSigned(.root("Root", validity: validity))
    let issuer, leaf: IssuedCertificate

    init() {
        issuer = CertificateFactory.issue(
            .intermediate("Intermediate", validity: validity, marker: nil), key: .generate(.p256), by: root)
        var template = CertificateTemplate.leaf("Leaf", validity: validity, marker: nil)
        template.ocspURL = url
        leaf = CertificateFactory.issue(template, key: .generate(.p256), by: issuer)
    }

    func delegate(
        of other: IssuedCertificate? = nil, isOCSPSigner: Bool = true, validity: ClosedRange<Int64> = validity
    ) -> IssuedCertificate {
        var template = CertificateTemplate.leaf("OCSP", validity: validity, marker: nil)
        template.isOCSPSigner = isOCSPSigner
        return CertificateFactory.issue(template, key: .generate(.p256), by: other ?? issuer)
    }

    func response(
        _ status: OCSP.Status = .good, about certificate: Certificate? = nil, signedBy signer: IssuedCertificate? = nil,
        thisUpdate: Int64 = now - hour, nextUpdate: Int64? = now + hour, carriesSigner: Bool = true
    ) -> [UInt8] {
        OCSPFactory.response(
            status, about: certificate ?? leaf.certificate, issuer: issuer.certificate, signedBy: signer ?? issuer,
            thisUpdate: thisUpdate, nextUpdate: nextUpdate, carriesSigner: carriesSigner)
    }

    func read(_ response: [UInt8], at instant: Int64 = now) throws(OCSP.Fault) -> OCSP.Status {
        try OCSP.status(in: response, of: leaf.certificate, issuer: issuer.certificate, atMilliseconds: instant)
    }

    func isForged(_ response: [UInt8]) -> Bool {
        do throws(OCSP.Fault) { _ = try read(response) } catch { if case .forged = error { return true } }
        return false
    }

    func isUnusable(_ response: [UInt8], at instant: Int64 = now) -> Bool {
        do throws(OCSP.Fault) { _ = try read(response, at: instant) } catch { if case .unusable = error { return true } }
        return false
    }
}

@Test func responderOfACertificate() {
    let responder = Responder()
    #expect(OCSP.responderURL(of: responder.leaf.certificate) == url)
    #expect(OCSP.responderURL(of: responder.issuer.certificate) == nil)
    var template = CertificateTemplate.leaf("Leaf", validity: validity, marker: nil)
    template.ocspURL = "ldap://ocsp.example.com"
    #expect(OCSP.responderURL(of: CertificateFactory.selfSigned(template).certificate) == nil)
}

@Test func requestIsSmallAndTheSameEachTime() {
    let responder = Responder()
    let request = OCSP.request(about: responder.leaf.certificate, issuer: responder.issuer.certificate)
    let isDER = DER.isOneElement(request.span)
    #expect(isDER)
    #expect(request.count < 120)
    let sha1: [UInt8] = [0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A]
    #expect(request.indices.contains { request[$0...].starts(with: sha1) })
    #expect(request == OCSP.request(about: responder.leaf.certificate, issuer: responder.issuer.certificate))
    #expect(request != OCSP.request(about: responder.issuer.certificate, issuer: responder.root.certificate))
}

@Test(arguments: [OCSP.Status.good, .revoked, .unknown])
func statusSignedByIssuerOrDelegate(_ status: OCSP.Status) throws {
    let responder = Responder()
    #expect(try responder.read(responder.response(status)) == status)
    #expect(try responder.read(responder.response(status, carriesSigner: false)) == status)
    #expect(try responder.read(responder.response(status, signedBy: responder.delegate())) == status)
}

@Test func statusOfAnIntermediate() throws {
    let responder = Responder()
    let response = OCSPFactory.response(
        .good, about: responder.issuer.certificate, issuer: responder.root.certificate, signedBy: responder.root, thisUpdate: now,
        nextUpdate: now + hour)
    let status = try OCSP.status(
        in: response, of: responder.issuer.certificate, issuer: responder.root.certificate, atMilliseconds: now)
    #expect(status == .good)
}

@Test func otherSignersAreForgers() {
    let responder = Responder()
    let namesake = Responder().issuer
    #expect(responder.isForged(responder.response(signedBy: namesake)), "the issuer's name with another key")
    #expect(responder.isForged(responder.response(signedBy: namesake, carriesSigner: false)))
    #expect(responder.isForged(responder.response(signedBy: responder.delegate(of: namesake))), "another issuer's delegate")
    #expect(responder.isForged(responder.response(signedBy: responder.delegate(of: responder.root))), "a delegate of the issuer's issuer")
    #expect(responder.isForged(responder.response(signedBy: responder.root)), "the issuer's issuer")
    #expect(responder.isForged(responder.response(signedBy: responder.leaf)), "the certificate itself")
    #expect(responder.isForged(responder.response(signedBy: responder.delegate(isOCSPSigner: false))), "no OCSPSigning")
    #expect(responder.isForged(responder.response(signedBy: responder.delegate(of: responder.leaf))), "a delegate of no authority")
    #expect(responder.isForged(responder.response(signedBy: responder.delegate(validity: now - 9 * hour...now - hour))), "expired")
    #expect(responder.isForged(responder.response(signedBy: responder.delegate(), carriesSigner: false)), "a delegate nobody shows")
}

@Test func changedAnswersAreForged() throws {
    let responder = Responder()
    var response = responder.response(.revoked, carriesSigner: false)
    response[response.count - 1] ^= 1
    #expect(responder.isForged(response))
    var dated = responder.response(carriesSigner: false)
    let year = try #require(dated.indices.last { dated[$0...].starts(with: Array("20231114".utf8)) })
    dated[year + 3] += 1
    #expect(responder.isForged(dated))
}

@Test func answersAboutOthersAreForged() {
    let responder = Responder()
    let other = CertificateFactory.issue(.leaf("Leaf", validity: validity, marker: nil), key: responder.leaf.key, by: responder.issuer)
    #expect(responder.isForged(responder.response(about: other.certificate)), "another serial number")
    let elsewhere = OCSPFactory.response(
        .good, about: responder.issuer.certificate, issuer: responder.root.certificate, signedBy: responder.issuer, thisUpdate: now,
        nextUpdate: now + hour)
    #expect(responder.isForged(elsewhere), "another issuer's certificate")
}

@Test func answersHoldForTheirTimeAndAMinute() throws {
    let responder = Responder()
    let response = responder.response()
    #expect(try responder.read(response, at: now + hour + 60_000) == .good)
    #expect(responder.isUnusable(response, at: now + hour + 60_001), "stale")
    #expect(try responder.read(response, at: now - hour - 60_000) == .good)
    #expect(responder.isUnusable(response, at: now - hour - 60_001), "from the future")
    #expect(responder.isUnusable(responder.response(nextUpdate: nil)), "without an end")
    #expect(responder.isUnusable(responder.response(thisUpdate: now + 30_000, nextUpdate: now - 30_000)), "ends before it starts")
}

@Test func whatIsNoAnswerIsUnusable() {
    let responder = Responder()
    #expect(responder.isUnusable(OCSPFactory.tryLater()))
    #expect(responder.isUnusable([]))
    #expect(responder.isUnusable(Array("<html>Bad Gateway</html>".utf8)))
    #expect(responder.isUnusable(responder.leaf.certificate.der))
    #expect(responder.isUnusable(OCSP.request(about: responder.leaf.certificate, issuer: responder.issuer.certificate)))
    #expect(responder.isUnusable([0x30, 0x03, 0x0A, 0x01, 0x00]), "success, but no answer")
    let response = responder.response()
    for count in 0..<response.count where !responder.isUnusable(Array(response[..<count])) { Issue.record("\(count) bytes") }
    #expect(responder.isUnusable(response + [0]))
    #expect(responder.isUnusable([UInt8](repeating: 0x30, count: 4 << 20)))
    #expect(responder.isUnusable([0x30, 0x83, 0x40, 0x00, 0x00] + [UInt8](repeating: 0, count: 4 << 20)))
}

/// No changed byte makes another answer of it, and none crashes.
@Test func anyOneByteChanged() {
    let responder = Responder()
    let response = responder.response(.revoked)
    for index in response.indices {
        var changed = response
        changed[index] ^= 0x15
        if let status = try? responder.read(changed), status != .revoked { Issue.record("byte \(index) made it \(status)") }
    }
}
