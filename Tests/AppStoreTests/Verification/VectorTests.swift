import AppStore
import Crypto
import Foundation
import Testing

/// Apple's mock data and messages that Apple really signed.
@Suite(Vectors.areThere)
struct VectorTests {
    private let now = SigningChain.now

    private func appleTestVerifier() throws -> SignedPayloadVerifier {
        SignedPayloadVerifier(roots: try Certificate.fromPEMorDER(Vectors.bytes("apple/testCA.der")))
    }

    @Test func builtInRoot() throws {
        let digest = Certificate.appleRootCAG3.sha256.map { String(format: "%02x", $0) }.joined()
        #expect(digest == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(try Certificate.appleRootCAG3.der == Vectors.bytes("certs/AppleRootCA-G3.der"))
        #expect(Certificate.appleRootCAG3.subjectCommonName == "Apple Root CA - G3")
    }

    /// Its `x5c[2]` is a re-issued root: the same key and name, another serial and other dates.
    @Test func mockTestNotification() throws {
        let notification = try appleTestVerifier().verifyNotification(
            SignedPayload(Vectors.text("apple/mock_signed_data/testNotification")), now: now)
        #expect(notification.payload.notificationType == .test)
        #expect(notification.payload.signedDate == 1_681_314_324_000)
        #expect(notification.transaction == nil)
        #expect(notification.integrity == .consistent)
        #expect(!notification.isFutureDated)
        #expect(notification.claimedIdentity == ClaimedIdentity(bundleId: "com.example", appAppleId: 1234, rawEnvironment: "Sandbox"))
        #expect(notification.fact?.type == .test)
    }

    /// Sound, of another app, and without a date: judged now, and nil where a date would be.
    @Test func mockWrongBundleId() throws {
        let signed = try SignedPayload(Vectors.text("apple/mock_signed_data/wrongBundleId"))
        let notification = try appleTestVerifier().verifyNotification(signed, now: now)
        #expect(notification.claimedIdentity?.bundleId == "com.example.wrong")
        #expect(notification.jws.signedDateMilliseconds == nil)
        #expect(notification.fact == nil)
        let afterItsEnd: Int64 = 2_000_000_000_000
        #expect(code { try appleTestVerifier().verifyNotification(signed, now: afterItsEnd) } == .expiredCertificate)
    }

    @Test(arguments: ["missingX5CHeaderClaim", "legacyTransaction"]) func mockMalformed(_ name: String) throws {
        let text = try Vectors.text("apple/mock_signed_data/\(name)")
        let verifier = try appleTestVerifier()
        #expect(code { try verifier.verify(jws: Array(text.utf8), now: now) } == .malformed)
    }

    @Test(arguments: ["a.b.c", "a.b.c.d"]) func literals(_ text: String) throws {
        let verifier = try appleTestVerifier()
        #expect(code { try verifier.verify(jws: Array(text.utf8), now: now) } == .malformed)
    }

    @Test func mockRenewalInfo() throws {
        let verified = try appleTestVerifier().verifyRenewalInfo(
            SignedPayload(Vectors.text("apple/mock_signed_data/renewalInfo")), now: now)
        #expect(verified.payload.environment == .sandbox)
        #expect(verified.payload.signedDate == 1_672_956_154_000)
        #expect(verified.jws.signedDateMilliseconds == 1_672_956_154_000)
    }

    @Test func mockTransactionInfo() throws {
        let verified = try appleTestVerifier().verifyTransaction(
            SignedPayload(Vectors.text("apple/mock_signed_data/transactionInfo")), now: now)
        #expect(verified.payload.bundleId == "com.example")
        #expect(verified.payload.environment == .sandbox)
        #expect(verified.payload.transaction == nil)
    }

    @Test func mockDataIsNothingUnderApplesRoot() throws {
        let jws = try Array(Vectors.text("apple/mock_signed_data/testNotification").utf8)
        #expect(code { try SignedPayloadVerifier().verify(jws: jws, now: now) } == .untrustedChain)
    }

    /// Apple's own wrong certificates: a marker is missing in one of the two.
    @Test(arguments: [
        ("testLeaf", "testIntermediate", VerificationError.Code.badSignature),
        ("testInvalidOIDLeaf", "testIntermediate", .wrongPurpose),
        ("testInvalidIntermediateLeaf", "testInvalidOIDIntermediate", .wrongPurpose),
        ("testIntermediate", "testLeaf", .untrustedChain),
        ("testCA", "testIntermediate", .untrustedChain),
    ])
    func applesTestChains(_ leaf: String, _ intermediate: String, _ expected: VerificationError.Code) throws {
        let x5c = try [leaf, intermediate, "testCA"].map { name in
            Base64.encode(try #require(try Certificate.fromPEMorDER(Vectors.bytes("apple/chain/\(name).pem")).first).der)
        }
        let chain = SigningChain.standard  // signs, but is not the leaf: only the first row gets as far as the signature
        let jws = chain.sign(Sample.notification(), header: chain.header(x5c))
        let verifier = try appleTestVerifier()
        #expect(code { try verifier.verify(jws: Array(jws.utf8), now: now) } == expected)
    }

    @Test func reallySignedNotification() throws {
        let body = try Vectors.bytes("real/sandbox-test-notification-2022-09.json")
        let verifier = SignedPayloadVerifier()
        let notification = try verifier.verifyNotification(body: body, now: now)
        #expect(notification.payload.notificationType == .test)
        #expect(notification.jws.signedDateMilliseconds == 1_662_122_492_884)
        #expect(notification.claimedIdentity == ClaimedIdentity(bundleId: "com.Abilities", appAppleId: nil, rawEnvironment: "Sandbox"))
        #expect(code { try verifier.verifyNotification(body: body, at: now, now: now) } == .expiredCertificate)
        let underTestCA = try appleTestVerifier()
        #expect(code { try underTestCA.verifyNotification(body: body, now: now) } == .untrustedChain)
    }

    @Test func reallySignedRenewalInfo() throws {
        let text = try Vectors.text("real/sandbox-renewal-info-2023-05.jws")
        let verifier = SignedPayloadVerifier()
        let verified = try verifier.verifyRenewalInfo(SignedPayload(text), now: now)
        #expect(verified.payload.originalTransactionId == "2000000335310644")
        #expect(verified.payload.renewalInfo?.signedDate.milliseconds == 1_684_822_778_492)
        #expect(code { try verifier.verify(jws: Array(text.utf8), at: now, now: now) } == .expiredCertificate)
        let underTestCA = try appleTestVerifier()
        #expect(code { try underTestCA.verify(jws: Array(text.utf8), now: now) } == .untrustedChain)
        // Each byte of the payload, on a warm chain.
        let dots = text.utf8.indices(of: UInt8(ascii: ".")).ranges.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) }
        for index in stride(from: dots[0] + 1, to: dots[1], by: 7) {
            var changed = Array(text.utf8)
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let found = code { try verifier.verify(jws: changed, now: now) }
            #expect(found == .badSignature || found == .malformed, "byte \(index)")
        }
    }

    /// Signed by a certificate of that Mac: no payload of ours outside Xcode.
    @Test(arguments: [
        ("xcode-signed-transaction", VerificationError.Code.chainLength), ("xcode-signed-renewal-info", .chainLength),
        ("xcode-signed-app-transaction", .chainLength),
    ])
    func xcodeIsRefused(_ name: String, _ expected: VerificationError.Code) throws {
        let jws = try Vectors.bytes("apple/xcode/\(name)")
        #expect(code { try SignedPayloadVerifier().verify(jws: jws, now: now) } == expected)
    }

    /// Its dates have fractions of milliseconds; the original purchase may lie in the year 1.
    @Test func xcodeDecodes() throws {
        func payload<T: Decodable>(_ name: String, as type: T.Type) throws -> T {
            let part = try Vectors.bytes("apple/xcode/\(name)").split(separator: UInt8(ascii: "."))[1]
            return try JSONDecoder().decode(type, from: Data(try #require(Base64URL.decode(Array(part)))))
        }
        let transaction = try payload("xcode-signed-transaction", as: JWSTransactionDecodedPayload.self)
        #expect(transaction.purchaseDate == 1_697_679_936_049)
        #expect(transaction.rawEnvironment == "Xcode")
        #expect(transaction.environment == nil)
        #expect(transaction.transactionId == "0")
        #expect(try payload("xcode-signed-renewal-info", as: JWSRenewalInfoDecodedPayload.self).renewalDate == 1_700_358_336_049)
        let app = try payload("xcode-signed-app-transaction", as: AppTransactionDecodedPayload.self)
        #expect(app.receiptCreationDate == 1_697_680_122_257)
        #expect(app.originalPurchaseDate == -62_135_769_600_000)
    }
}
