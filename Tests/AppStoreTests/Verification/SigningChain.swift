import AppStore
import Crypto
import Foundation
import Testing

/// A chain like the App Store's, with a change where a test wants one, that signs payloads like the App Store.
struct SigningChain: Sendable {
    var root, intermediate, leaf: IssuedCertificate
    static let now: Int64 = 1_790_000_000_000
    static let day: Int64 = 86_400_000
    static let standard = SigningChain()

    typealias Change = @Sendable (inout CertificateTemplate) -> Void

    init(
        rootTemplate: Change = { _ in }, intermediateTemplate: Change = { _ in }, leafTemplate: Change = { _ in },
        leafKey: CertificateKey.Kind = .p256
    ) {
        let validity = Self.now - 400 * Self.day...Self.now + 400 * Self.day
        var templates = [
            CertificateTemplate.root("Apple Root CA - G3", validity: validity),
            .intermediate("Worldwide Developer Relations", validity: validity, marker: "1.2.840.113635.100.6.2.1"),
            .leaf("Store signer", validity: validity, marker: "1.2.840.113635.100.6.11.1"),
        ]
        rootTemplate(&templates[0])
        intermediateTemplate(&templates[1])
        leafTemplate(&templates[2])
        root = CertificateFactory.selfSigned(templates[0])
        intermediate = CertificateFactory.issue(templates[1], key: .generate(.p384), by: root)
        leaf = CertificateFactory.issue(templates[2], key: .generate(leafKey), by: intermediate)
    }

    /// Another leaf under the same intermediate.
    func withAnotherLeaf(_ template: (inout CertificateTemplate) -> Void = { _ in }) -> SigningChain {
        var copy = self
        var leaf = CertificateTemplate.leaf(
            "Other signer", validity: Self.now - 10 * Self.day...Self.now + 800 * Self.day, marker: "1.2.840.113635.100.6.11.1")
        template(&leaf)
        copy.leaf = CertificateFactory.issue(leaf, key: .generate(.p256), by: intermediate)
        return copy
    }

    var verifier: SignedPayloadVerifier { SignedPayloadVerifier(roots: [root.certificate]) }

    var x5c: [String] { [leaf, intermediate, root].map { Base64.encode($0.certificate.der) } }

    func header(_ x5c: [String]? = nil, alg: String = "ES256", more: String = "") -> String {
        let entries = (x5c ?? self.x5c).map { "\"\($0)\"" }.joined(separator: ",")
        return "{\"alg\":\"\(alg)\",\"x5c\":[\(entries)]\(more)}"
    }

    /// - Parameters:
    ///   - header: Instead of the right one.
    ///   - key: Instead of the leaf's.
    func sign(_ payload: String, header: String? = nil, key: P256PrivateKey? = nil) -> String {
        sign(bytes: Array(payload.utf8), header: header, key: key)
    }

    func sign(bytes payload: [UInt8], header: String? = nil, key: P256PrivateKey? = nil) -> String {
        let signed = Base64URL.encode(Array((header ?? self.header()).utf8)) + "." + Base64URL.encode(payload)
        guard let key = key ?? leaf.key.p256 else { return signed + "." + Base64URL.encode(Array(repeating: 1, count: 64)) }
        return signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
    }
}

/// Payloads, each member of which can be replaced, or taken out by nil.
enum Sample {
    /// A whole notification: with transaction and renewal info, signed by the standard chain.
    static let whole = notification(.standard, transaction: transaction(), renewalInfo: renewalInfo())

    static func transaction(_ changes: [String: JSONValue?] = [:]) -> String {
        json(
            [
                "transactionId": "2000000100000001", "originalTransactionId": "2000000100000001", "bundleId": "com.acme.app",
                "productId": "com.acme.pro", "purchaseDate": .integer(SigningChain.now - 5), "quantity": .integer(1),
                "type": "Auto-Renewable Subscription", "environment": "Production", "signedDate": .integer(SigningChain.now),
                "price": .integer(59_990), "currency": "USD",
            ], changes)
    }

    static func renewalInfo(_ changes: [String: JSONValue?] = [:]) -> String {
        json(
            [
                "originalTransactionId": "2000000100000001", "productId": "com.acme.pro", "autoRenewStatus": .integer(1),
                "renewalDate": .integer(SigningChain.now + 5), "environment": "Production", "signedDate": .integer(SigningChain.now),
            ], changes)
    }

    static func notification(
        _ chain: SigningChain, transaction: String? = nil, renewalInfo: String? = nil, data: [String: JSONValue?] = [:]
    )
        -> String
    {
        var members: [String: JSONValue] = [
            "bundleId": "com.acme.app", "appAppleId": .integer(900_100_200), "environment": "Production", "status": .integer(1),
        ]
        members["signedTransactionInfo"] = transaction.map { .string(chain.sign($0)) }
        members["signedRenewalInfo"] = renewalInfo.map { .string(chain.sign($0)) }
        return notification(["data": value(members, data)])
    }

    static func notification(_ changes: [String: JSONValue?] = [:]) -> String {
        json(
            [
                "notificationType": "DID_RENEW", "notificationUUID": "002e14d5-51f5-4503-b5a8-c3a1af68eb20", "version": "2.0",
                "signedDate": .integer(SigningChain.now),
            ], changes)
    }

    static func value(_ members: [String: JSONValue], _ changes: [String: JSONValue?]) -> JSONValue {
        .object(changes.reduce(into: members) { $0[$1.key] = $1.value })
    }

    private static func json(_ members: [String: JSONValue], _ changes: [String: JSONValue?]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? encoder.encode(value(members, changes))
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

/// The code of the error that an expression throws; nil if it throws none.
func code(_ work: () throws -> some Any) -> VerificationError.Code? {
    do {
        _ = try work()
        return nil
    } catch let error as VerificationError {
        return error.code
    } catch {
        Issue.record("another error: \(error)")
        return nil
    }
}
