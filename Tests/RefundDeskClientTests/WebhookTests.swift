import Foundation
import Testing

@testable import RefundDeskClient

private let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
private let other = "whsec_" + Data(repeating: 8, count: 24).base64EncodedString()
private let now = Date(timeIntervalSince1970: 1_800_000_000)
private let body = Data(
    """
    {"type":"access.granted","timestamp":"2027-01-15T08:00:00.250Z","id":"evt_1","sequence":17,"data":{"app":"acme","environment":"Production",
    "transactionId":"2","originalTransactionId":"1","productId":"pro","customer":{"appTransactionId":"704","appAccountToken":null,"userId":"u"},
    "isCurrentPeriod":true,"access":{"active":true,"until":1800000009000},"case":null,"entitlements":[{"productId":"pro",
    "subscriptionGroupIdentifier":"21","originalTransactionId":"1","transactionId":"2","active":true,"until":1800000009000,"state":"active",
    "ownership":"PURCHASED","willRenew":true,"pendingProductId":null,"commitment":null}]}}
    """.utf8)

private func sign(_ secret: String, id: String = "evt_1", at seconds: Int = 1_800_000_000, _ body: Data = body) -> String {
    let key = Array(Data(base64Encoded: String(secret.dropFirst(6)))!)
    return "v1," + Data(hmacSHA256(Array("\(id).\(seconds).".utf8) + body, key: key)).base64EncodedString()
}

private func headers(_ signature: String, id: String = "evt_1", at seconds: Int = 1_800_000_000) -> [String: String] {
    ["Webhook-Id": id, "Webhook-Timestamp": "\(seconds)", "Webhook-Signature": signature]
}

struct WebhookTests {
    private let verifier = try! WebhookVerifier(secret: secret, other) { now }

    @Test func aSoundOneIsRead() throws {
        let event = try verifier.verify(headers: headers(sign(secret)), body: body)
        #expect(event.kind == .accessGranted)
        #expect(event.sequence == 17)
        #expect(event.timestamp == Date(timeIntervalSince1970: 1_800_000_000.25))
        #expect(event.data.customer.userId == "u")
        #expect(event.data.access == WebhookEvent.Access(active: true, until: Date(timeIntervalSince1970: 1_800_000_009)))
        #expect(event.data.entitlements[0].allowsUse(at: now))
        #expect(event.body == body)
    }

    @Test func eitherSecretAndAnyOfSeveralSignatures() throws {
        for signature in [sign(other), "v1,AAAA \(sign(secret))", "v1a,xyz v2,AAAA \(sign(secret)) v1,", "\(sign(secret)) nonsense"] {
            #expect(try verifier.verify(headers: headers(signature), body: body).id == "evt_1")
        }
    }

    @Test(arguments: [-300, 300]) func aTimestampWithinTheTolerance(_ offset: Int) throws {
        let at = 1_800_000_000 + offset
        #expect(try verifier.verify(headers: headers(sign(secret, at: at), at: at), body: body).id == "evt_1")
    }

    /// A clock that is wrong is not taken for a secret that is: the receiver is told of the timestamp, whoever signed.
    @Test func theTimestampIsLookedAtFirst() {
        let late = headers("v1,AAAA", at: 1_800_000_301)
        #expect(throws: WebhookError.outsideTolerance) { try verifier.verify(headers: late, body: body) }
    }

    @Test func noSecretIsPrinted() {
        var dumped = ""
        dump(verifier, to: &dumped)
        for text in [dumped, "\(verifier)", String(reflecting: verifier)] {
            #expect(!text.contains("7, 7") && !text.contains("- 7\n"), "\(text)")
        }
    }

    @Test(arguments: [-301, 301, -1_800_000_000]) func aTimestampOutsideOfIt(_ offset: Int) {
        let at = 1_800_000_000 + offset
        #expect(throws: WebhookError.outsideTolerance) { try verifier.verify(headers: headers(sign(secret, at: at), at: at), body: body) }
    }

    @Test func whatIsChangedIsNotBelieved() {
        let good = sign(secret)
        var changed = body
        changed[20] ^= 1
        let wrong: [([String: String], Data)] = [
            (headers(good), changed), (headers(good, id: "evt_2"), body), (headers(good, at: 1_800_000_001), body),
            (headers(sign("whsec_" + Data(repeating: 9, count: 32).base64EncodedString())), body), (headers(""), body),
            (headers("v1,"), body), (headers(String(good.dropLast(4))), body), (headers("v2" + good.dropFirst(2)), body),
            (headers(good), Data()),
        ]
        for (headers, body) in wrong {
            #expect(throws: WebhookError.badSignature) { try verifier.verify(headers: headers, body: body) }
        }
    }

    @Test func everyFlippedBitOfTheSignatureIsSeen() throws {
        let bytes = try #require(Data(base64Encoded: String(sign(secret).dropFirst(3))))
        for bit in 0..<256 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: WebhookError.badSignature) {
                try verifier.verify(headers: headers("v1," + flipped.base64EncodedString()), body: body)
            }
        }
    }

    @Test func whatIsMissingOrUnreadable() {
        var without = headers(sign(secret))
        without["Webhook-Signature"] = nil
        #expect(throws: WebhookError.missingHeader("webhook-signature")) { try verifier.verify(headers: without, body: body) }
        var noNumber = headers(sign(secret))
        noNumber["Webhook-Timestamp"] = "soon"
        #expect(throws: WebhookError.badTimestamp) { try verifier.verify(headers: noNumber, body: body) }
        let text = Data("[]".utf8)
        #expect(throws: WebhookError.unreadable) { try verifier.verify(headers: headers(sign(secret, text)), body: text) }
    }

    @Test(arguments: [
        "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_not base64", "whsec_" + String(repeating: "A", count: 88),
    ])
    func whatIsNoSecret(_ text: String) {
        #expect(throws: WebhookError.badSecret) { try WebhookVerifier(secret: text) }
    }

    /// - Source: the example of the Standard Webhooks specification's reference libraries.
    @Test func theStandardsOwnExample() throws {
        let key = Array(try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        let signed = Array(#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#.utf8)
        #expect(Data(hmacSHA256(signed, key: key)).base64EncodedString() == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }
}

struct SHA256Tests {
    private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    /// - Source: NIST's examples of SHA-256.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func knownHashes(_ text: String, _ expected: String) {
        #expect(hex(SHA256.hash(Array(text.utf8))) == expected)
    }

    @Test func longOnesAndEveryLengthAroundABlock() {
        #expect(
            hex(SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 100_000)))
                == "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
        // As the next: made with another implementation. The hash of all hashes of 0 to 200 times the letter x.
        let all = (0...200).flatMap { SHA256.hash([UInt8](repeating: UInt8(ascii: "x"), count: $0)) }
        #expect(hex(SHA256.hash(all)) == "2e9fcf76499976b60177466c31b8ab5caa7d4c6dd8dd97c8ce7b574af689ec94")
    }

    /// - Source: RFC 4231, test cases 1, 2 and 6.
    @Test func knownMACs() {
        #expect(
            hex(hmacSHA256(Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(hmacSHA256(Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), key: [UInt8](repeating: 0xaa, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
