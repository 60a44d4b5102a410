import AppStore
import Crypto
import Domain
import Synchronization
import Testing

private let day: Int64 = 86_400_000
private let start: Int64 = 1_790_000_000_000

/// A chain whose certificates name responders, and the responders.
private final class Issuers: Sendable {
    enum Behaviour: Sendable {
        case says(OCSP.Status)
        case away, garbage, forged
    }
    let root: IssuedCertificate
    let intermediate: IssuedCertificate
    let leaf: IssuedCertificate
    let path: CertificatePath
    let clock = Mutex(start)
    let leafBehaviour = Mutex(Behaviour.says(.good))
    let intermediateBehaviour = Mutex(Behaviour.says(.good))
    let questions = Mutex<[String]>([])

    init() throws {
        let validity = (start - 30 * day)...(start + 300 * day)
        root = CertificateFactory.selfSigned(.root("Root", validity: validity))
        var template = CertificateTemplate.intermediate("Intermediate", validity: validity, marker: "1.2.840.113635.100.6.2.1")
        template.ocspURL = "http://responder.example/intermediate"
        intermediate = CertificateFactory.issue(template, key: .generate(.p384), by: root)
        template = .leaf("Leaf", validity: validity, marker: "1.2.840.113635.100.6.11.1")
        template.ocspURL = "http://responder.example/leaf"
        leaf = CertificateFactory.issue(template, key: .generate(.p256), by: intermediate)
        path = try CertificatePath.prove(leaf: leaf.certificate, intermediate: intermediate.certificate, roots: [root.certificate])
    }

    func checks() -> RevocationChecks {
        RevocationChecks(now: { Timestamp(milliseconds: self.clock.withLock { $0 }) }) { url, _ in self.answer(url) }
    }

    func advance(_ span: Span) { clock.withLock { $0 += span.milliseconds } }

    private func answer(_ url: String) -> [UInt8]? {
        questions.withLock { $0.append(url) }
        let isLeaf = url.hasSuffix("/leaf")
        let (about, issuer) = isLeaf ? (leaf, intermediate) : (intermediate, root)
        let now = clock.withLock { $0 }
        func signed(_ status: OCSP.Status, by signer: IssuedCertificate) -> [UInt8] {
            OCSPFactory.response(
                status, about: about.certificate, issuer: issuer.certificate, signedBy: signer, thisUpdate: now - 60_000,
                nextUpdate: now + day)
        }
        switch isLeaf ? leafBehaviour.withLock({ $0 }) : intermediateBehaviour.withLock({ $0 }) {
        case .says(let status): return signed(status, by: issuer)
        case .away: return nil
        case .garbage: return [1, 2, 3]
        case .forged: return signed(.good, by: CertificateFactory.selfSigned(.root("Root", validity: (start - day)...(start + day))))
        }
    }
}

/// Asks until the background has settled what it was asked.
private func settled(_ checks: RevocationChecks, _ issuers: Issuers, is wanted: RevocationChecks.Standing) async -> Bool {
    for _ in 0..<500 {
        if checks.standing(of: [issuers.path]) == wanted { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}

@Suite struct RevocationTests {
    @Test func nothingIsGoodBeforeAnAnswerAndNobodyWaits() async throws {
        let issuers = try Issuers()
        let checks = issuers.checks()
        #expect(checks.standing(of: [issuers.path]) == .unknown)
        #expect(await settled(checks, issuers, is: .good))
    }

    @Test("field report 3: at most one question per certificate and window, however many messages")
    func oneQuestionPerCertificateAndWindow() async throws {
        let issuers = try Issuers()
        let checks = issuers.checks()
        #expect(await settled(checks, issuers, is: .good))
        for _ in 0..<200 { #expect(checks.standing(of: [issuers.path, issuers.path, issuers.path]) == .good) }
        #expect(issuers.questions.withLock { $0.count } == 2)
    }

    @Test("field report 6: a responder that is away makes nothing good; once it is back, a revoked certificate is refused")
    func revokedOnceTheResponderIsBack() async throws {
        let issuers = try Issuers()
        issuers.leafBehaviour.withLock { $0 = .away }
        let checks = issuers.checks()
        #expect(checks.standing(of: [issuers.path]) == .unknown)
        while issuers.questions.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(checks.standing(of: [issuers.path]) == .unknown)
        issuers.leafBehaviour.withLock { $0 = .says(.revoked) }
        issuers.advance(.minutes(1))
        #expect(await settled(checks, issuers, is: .revoked))
    }

    @Test func aRevokedIntermediateCounts() async throws {
        let issuers = try Issuers()
        issuers.intermediateBehaviour.withLock { $0 = .says(.revoked) }
        #expect(await settled(issuers.checks(), issuers, is: .revoked))
    }

    /// Attack 38: unknown, garbage, and an answer that the issuer did not sign leave the standing unknown.
    @Test(arguments: ["unknown", "garbage", "forged"])
    func whatIsNotTheIssuersWordIsNotGood(_ kind: String) async throws {
        let issuers = try Issuers()
        issuers.leafBehaviour.withLock { $0 = kind == "unknown" ? .says(.unknown) : kind == "garbage" ? .garbage : .forged }
        let checks = issuers.checks()
        #expect(checks.standing(of: [issuers.path]) == .unknown)
        while issuers.questions.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
        issuers.advance(.minutes(1))
        for _ in 0..<20 {
            #expect(checks.standing(of: [issuers.path]) == .unknown)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func anAnswerLapsesAndIsRenewedBefore() async throws {
        let issuers = try Issuers()
        let checks = issuers.checks()
        #expect(await settled(checks, issuers, is: .good))
        issuers.advance(.minutes(11))
        checks.renew()
        while issuers.questions.withLock({ $0.count }) < 4 { try await Task.sleep(for: .milliseconds(5)) }
        issuers.advance(.minutes(10))
        #expect(await settled(checks, issuers, is: .good))
        issuers.leafBehaviour.withLock { $0 = .away }
        issuers.advance(.minutes(16))
        #expect(checks.standing(of: [issuers.path]) == .unknown)
    }
}
