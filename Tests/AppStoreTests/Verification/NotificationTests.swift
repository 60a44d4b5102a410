import AppStore
import Crypto
import Domain
import Foundation
import Testing

private let now = SigningChain.now
private let day = SigningChain.day
private let chain = SigningChain.standard

private func verify(_ payload: String, at instant: Int64? = nil, now: Int64 = now) throws -> VerifiedNotification {
    try chain.verifier.verifyNotification(SignedPayload(chain.sign(payload)), at: instant, now: now)
}

/// Attacks 29 to 31 and 34: payloads that Apple signed, in a place that is not theirs.
struct MisplacedPayloads {
    @Test func attack29() {
        #expect(code { try verify(Sample.transaction()) } == .notANotification)
        #expect(code { try verify(Sample.renewalInfo()) } == .notANotification)
        #expect(code { try verify(Sample.notification(["notificationUUID": nil])) } == .notANotification)
        #expect(code { try verify(Sample.notification(["notificationUUID": ""])) } == .notANotification)
        #expect(code { try verify(Sample.notification(["notificationType": nil])) } == .notANotification)
        #expect(code { try verify(Sample.notification(["notificationType": .integer(1)])) } == .malformed)
    }

    @Test(arguments: [
        ("30: a transaction as renewal info", Sample.transaction(), Sample.transaction()),
        ("30: no autoRenewStatus", Sample.transaction(), Sample.renewalInfo(["autoRenewStatus": nil])),
        ("30: no renewalDate", Sample.transaction(), Sample.renewalInfo(["renewalDate": nil])),
        ("30: no originalTransactionId", Sample.transaction(), Sample.renewalInfo(["originalTransactionId": nil])),
        ("31: a renewal info as transaction", Sample.renewalInfo(), Sample.renewalInfo()),
        ("31: no transactionId", Sample.transaction(["transactionId": nil]), Sample.renewalInfo()),
        ("31: no bundleId", Sample.transaction(["bundleId": nil]), Sample.renewalInfo()),
        ("34: another app's transaction", Sample.transaction(["bundleId": "com.other"]), Sample.renewalInfo()),
        ("34: another environment's transaction", Sample.transaction(["environment": "Sandbox"]), Sample.renewalInfo()),
        ("34: another environment's renewal info", Sample.transaction(), Sample.renewalInfo(["environment": "Sandbox"])),
        ("34: another customer's renewal info", Sample.transaction(), Sample.renewalInfo(["originalTransactionId": "7"])),
    ])
    func isAMismatch(_ what: String, _ transaction: String, _ renewalInfo: String) throws {
        let notification = try verify(Sample.notification(chain, transaction: transaction, renewalInfo: renewalInfo))
        #expect(notification.integrity != .consistent)
    }

    @Test func attack31Bare() {
        #expect(code { try chain.verifier.verifyTransaction(SignedPayload(chain.sign(Sample.renewalInfo())), now: now) } == .malformed)
        #expect(code { try chain.verifier.verifyTransaction(SignedPayload(chain.sign(Sample.whole)), now: now) } == .malformed)
        #expect(code { try chain.verifier.verifyTransaction(SignedPayload(chain.sign(Sample.transaction())), now: now) } == nil)
    }

    /// A broken signature or chain inside breaks the whole.
    @Test(arguments: ["signedTransactionInfo", "signedRenewalInfo"]) func aForgedMember(_ member: String) {
        let other = SigningChain()
        let payload = member == "signedTransactionInfo" ? Sample.transaction() : Sample.renewalInfo()
        let forged: [(String, VerificationError.Code)] = [
            (other.sign(payload), .untrustedChain), (chain.sign(payload, key: .generate()), .badSignature), ("", .malformed),
            ("a.b.c", .malformed),
            (chain.sign(payload, header: chain.header(alg: "none")), .algorithm),
        ]
        for (jws, expected) in forged {
            let notification = Sample.notification(chain, data: [member: .string(jws)])
            #expect(code { try verify(notification) } == expected)
        }
        #expect(code { try verify(Sample.notification(chain, data: [member: .integer(1)])) } == .malformed)
    }
}

/// Attacks 32, 33 and 37, and the field reports about identity: who it is for is told, and decided elsewhere.
struct Identity {
    @Test func attacks32And33() throws {
        let other = try verify(Sample.notification(chain, data: ["bundleId": "com.other", "environment": "Sandbox", "appAppleId": nil]))
        #expect(other.claimedIdentity == ClaimedIdentity(bundleId: "com.other", appAppleId: nil, rawEnvironment: "Sandbox"))
        #expect(other.claimedIdentity?.environment == .sandbox)
    }

    @Test func attack37() throws {
        let xcode = try verify(Sample.notification(chain, data: ["environment": "Xcode"]))
        #expect(xcode.claimedIdentity?.rawEnvironment == "Xcode")
        #expect(xcode.claimedIdentity?.environment == nil)
        let unsigned =
            Base64URL.encode(Array(#"{"alg":"ES256","x5c":["AAAA"]}"#.utf8)) + "." + Base64URL.encode(Array(Sample.whole.utf8)) + ".AA"
        #expect(code { try chain.verifier.verify(jws: Array(unsigned.utf8), now: now) } == .chainLength)
    }

    @Test(arguments: [
        (
            #"{"data":{"bundleId":"b","appAppleId":7,"environment":"Production"}}"#,
            ClaimedIdentity(bundleId: "b", appAppleId: 7, rawEnvironment: "Production")
        ),
        (#"{"data":{}}"#, ClaimedIdentity(bundleId: nil, appAppleId: nil, rawEnvironment: nil)),
        (
            #"{"summary":{"bundleId":"b","appAppleId":7,"environment":"Sandbox"}}"#,
            ClaimedIdentity(bundleId: "b", appAppleId: 7, rawEnvironment: "Sandbox")
        ),
        (
            #"{"appData":{"bundleId":"b","appAppleId":7,"environment":"Sandbox"}}"#,
            ClaimedIdentity(bundleId: "b", appAppleId: 7, rawEnvironment: "Sandbox")
        ),
        (
            #"{"externalPurchaseToken":{"externalPurchaseId":"SANDBOX_1","bundleId":"b"}}"#,
            ClaimedIdentity(bundleId: "b", appAppleId: nil, rawEnvironment: "Sandbox")
        ),
        (
            #"{"externalPurchaseToken":{"externalPurchaseId":"1","bundleId":"b"}}"#,
            ClaimedIdentity(bundleId: "b", appAppleId: nil, rawEnvironment: "Production")
        ),
        (#"{"unclaimInfo":{"unclaimSeatIds":["s1"]}}"#, nil), (#"{"futureInfo":{"bundleId":"b"}}"#, nil), ("{}", nil),
    ])
    func claimedIdentity(_ members: String, _ expected: ClaimedIdentity?) throws {
        #expect(try JSONDecoder().decode(ResponseBodyV2DecodedPayload.self, from: Data(members.utf8)).claimedIdentity == expected)
    }

    /// The app transaction inside has no `signedDate`: its `receiptCreationDate` counts.
    @Test func rescindedConsent() throws {
        let inner =
            #"{"bundleId":"com.acme.app","appAppleId":900100200,"receiptType":"Production","#
            + #""receiptCreationDate":\#(now - 3 * day)}"#
        func notification(_ jws: String) -> String {
            let appData: [String: JSONValue] = [
                "bundleId": "com.acme.app", "appAppleId": .integer(900_100_200), "environment": "Production",
                "signedAppTransactionInfo": .string(jws),
            ]
            return Sample.notification(["notificationType": "RESCIND_CONSENT", "appData": .object(appData)])
        }
        let verified = try verify(notification(chain.sign(inner)))
        #expect(verified.integrity == .consistent)
        #expect(verified.appTransaction?.jws.signedDateMilliseconds == now - 3 * day)
        #expect(verified.claimedIdentity?.bundleId == "com.acme.app")
        #expect(code { try verify(notification(SigningChain().sign(inner))) } == .untrustedChain)
        let other = try verify(notification(chain.sign(inner.replacing("com.acme.app", with: "com.other"))))
        #expect(other.integrity != .consistent)
        let otherID = try verify(notification(chain.sign(inner.replacing("900100200", with: "7"))))
        #expect(otherID.integrity != .consistent)
    }

    @Test func unknownTypesAreVerifiedAndKept() throws {
        let future = try verify(
            Sample.notification(["notificationType": "FUTURE_EVENT", "subtype": "FUTURE_SUB", "futureInfo": .object([:])]))
        #expect(future.rawNotificationType == "FUTURE_EVENT")
        #expect(future.payload.rawSubtype == "FUTURE_SUB")
        #expect(future.payload.notificationType == nil)
        #expect(future.fact?.isKnown == false)
    }
}

/// Attacks 8, 35, 36 and 39.
struct Dates {
    /// Attack 8 offline, and why: history must stay valid after its signer's end. Judging live messages at now is not built.
    @Test func theDateIsThePayloads() throws {
        let old = SigningChain(leafTemplate: { $0.validity = now - 300 * day...now - 90 * day })
        let signed = try SignedPayload(old.sign(Sample.transaction(["signedDate": .integer(now - 92 * day)])))
        let verifier = old.verifier
        #expect(code { try verifier.verifyTransaction(signed, now: now) } == nil)
        #expect(code { try verifier.verifyTransaction(signed, at: now, now: now) } == .expiredCertificate)
        // The chain is known by now, and its dates are looked at all the same.
        let later = try SignedPayload(old.sign(Sample.transaction(["signedDate": .integer(now - 89 * day)])))
        #expect(code { try verifier.verifyTransaction(later, now: now) } == .expiredCertificate)
    }

    @Test func attack35() throws {
        let older = try verify(Sample.notification(chain, transaction: Sample.transaction(["signedDate": .integer(now - day)])))
        let newer = try verify(Sample.notification(chain, transaction: Sample.transaction(["revocationDate": .integer(now)])))
        let (old, new) = (try #require(older.fact?.transaction), try #require(newer.fact?.transaction))
        #expect(old.precedence < new.precedence)
    }

    @Test func attack36() throws {
        let (first, second) = (chain.sign(Sample.whole), chain.sign(Sample.whole))
        #expect(first != second)
        let notifications = try [first, second].map { try chain.verifier.verifyNotification(SignedPayload($0), now: now) }
        #expect(notifications[0].notificationUUID == notifications[1].notificationUUID)
        #expect(notifications[0].jws.payloadSHA256 == notifications[1].jws.payloadSHA256)
    }

    @Test(arguments: [
        JSONValue.integer(-1), .string("1790000000000"), .decimal(1_790_000_000_000.5), .null, .bool(true), .array([]),
        .decimal(Decimal(sign: .plus, exponent: 25, significand: 1)),
    ])
    func attack39(_ signedDate: JSONValue) {
        #expect(code { try verify(Sample.notification(["signedDate": signedDate])) } == .malformed)
        #expect(code { try verify(Sample.notification(chain, transaction: Sample.transaction(["signedDate": signedDate]))) } == .malformed)
    }

    @Test func attack39WithoutADate() throws {
        let undated = Sample.notification(["signedDate": nil])
        #expect(try verify(undated).fact == nil)
        #expect(code { try verify(undated, now: now + 1000 * day) } == .expiredCertificate)
    }

    @Test func attack39FarAhead() throws {
        #expect(try !verify(Sample.notification(["signedDate": .integer(now + day)])).isFutureDated)
        #expect(try verify(Sample.notification(["signedDate": .integer(now + day + 1)])).isFutureDated)
        #expect(
            try verify(Sample.notification(chain, transaction: Sample.transaction(["signedDate": .integer(now + 2 * day)]))).isFutureDated)
        #expect(code { try verify(Sample.notification(["signedDate": .integer(.max)])) } == .expiredCertificate)
    }
}

/// The field reports of area verify that need no responder.
struct FieldReports {
    @Test("field report 9: a new leaf under the same intermediate") func leavesRollOver() throws {
        let verifier = chain.verifier
        for signer in [chain, chain.withAnotherLeaf(), chain] {
            #expect(code { try verifier.verifyNotification(SignedPayload(signer.sign(Sample.whole)), now: now) } == nil)
        }
    }

    @Test("field report 12: a leaf of one's own above the genuine rest") func theLeafIsCheckedToo() {
        var forged = chain
        let key = CertificateKey.generate(.p256)
        let template = CertificateTemplate.leaf("Store signer", validity: now - day...now + day, marker: "1.2.840.113635.100.6.11.1")
        forged.leaf = CertificateFactory.issue(template, key: key, by: chain.intermediate, signedWith: .generate(.p384))
        #expect(code { try chain.verifier.verify(jws: Array(forged.sign(Sample.whole).utf8), now: now) } == .untrustedChain)
    }

    @Test(
        "field report 65: bodies that are none",
        arguments: [
            "{}", #"{"signedPayload":null}"#, #"{"signedPayload":1}"#, #"{"signedPayload":""}"#, #"{"signedPayload":"a.b.c"}"#,
            #"{"signedPayload":"a.b.c.d"}"#, #"{"signedPayload":"a.b.c","signedPayload":"a.b.c"}"#, "", "[]", "null", "a.b.c",
            #"{"signedPayload":"#,
            #"{"signedPayload":"a.b.c"}x"#, #"{"other":"a.b.c"}"#, String(repeating: #"{"a":"#, count: 100_000),
            String(repeating: "[", count: 100_000),
        ])
    func brokenBodies(_ body: String) {
        #expect(code { try chain.verifier.verifyNotification(body: Array(body.utf8), now: now) } == .malformed)
    }

    @Test func bodiesThatAreNotUTF8() {
        #expect(code { try chain.verifier.verifyNotification(body: [0xFF, 0xFE], now: now) } == .malformed)
        let body = Array(#"{"x":""#.utf8) + [0xC3] + Array(#"","signedPayload":"\#(chain.sign(Sample.whole))"}"#.utf8)
        #expect(code { try chain.verifier.verifyNotification(body: body, now: now) } == .malformed)
    }

    /// With white space and other members around.
    @Test("field report 56: bodies of Apple's size and more") func bodiesOfAllSizes() {
        let padded = Sample.notification([
            "data": .object(["bundleId": "com.acme.app", "filler": .string(String(repeating: "x", count: 40_000))])
        ])
        let body = Array("\r\n{ \"other\" : [1, {\"a\" : null}] ,\t\"signedPayload\" : \"\(chain.sign(padded))\" }\n".utf8)
        #expect(code { try chain.verifier.verifyNotification(body: body, now: now) } == nil)
        let tooLarge = Array(#"{"signedPayload":"\#(chain.sign(Sample.whole))","x":"\#(String(repeating: "x", count: 1 << 20))"}"#.utf8)
        #expect(code { try chain.verifier.verifyNotification(body: tooLarge, now: now) } == .malformed)
    }

    @Test func manyTasksShareOneVerifier() async {
        let verifier = chain.verifier
        let signers = (0..<4).map { _ in chain.withAnotherLeaf() }
        let messages = (signers + [chain]).map { $0.sign(Sample.whole) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<100).allSatisfy { round in
                        (try? verifier.verifyNotification(SignedPayload(messages[round % messages.count]), now: now)) != nil
                    }
                }
            }
            for await isValid in group { #expect(isValid) }
        }
    }

    /// More signers than are remembered.
    @Test func theCacheIsBounded() {
        let verifier = chain.verifier
        for round in 0..<150 {
            let jws = chain.sign(Sample.renewalInfo(), header: chain.header([chain.x5c[0], chain.x5c[1], "\(round)"]))
            #expect(code { try verifier.verify(jws: Array(jws.utf8), now: now) } == nil)
        }
    }
}
