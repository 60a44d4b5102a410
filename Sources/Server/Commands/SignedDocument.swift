import AppStore
import Foundation

/// Something that Apple signed, verified, of whichever kind it is.
struct SignedDocument {
    /// `notification`, `transaction`, `renewalInfo`, `appTransaction` or `other`.
    let kind: String
    /// The payload, with every JWS inside it replaced by what that says.
    let decoded: JSONValue
    let bundleID: String?
    let appAppleID: Int64?
    let environment: String?
    /// Whether documents of this kind say for which app they are; renewal infos do not.
    let namesApp: Bool
    /// Whether documents of this kind carry an `appAppleId`.
    let carriesAppAppleID: Bool
    /// How its parts contradict one another; nil where they do not.
    let mismatch: String?
    let isFutureDated: Bool

    /// - Parameter bytes: A request body, `{"signedPayload": "..."}`, or a JWS in compact form.
    init(_ bytes: [UInt8], verifier: SignedPayloadVerifier, at: Int64?, now: Int64) throws(VerificationError) {
        let text = bytes.trimmed
        if text.first == UInt8(ascii: "{") {
            self.init(try verifier.verifyNotification(body: text, at: at, now: now))
            return
        }
        let signed = try SignedPayload(text)
        let jws = try verifier.verify(signed, at: at, now: now)
        let payload = try jws.decode(JSONValue.self)
        if payload["notificationType"] != nil {
            self.init(try verifier.verifyNotification(signed, at: at, now: now))
        } else {
            self.init(payload, jws, now: now)
        }
    }

    private init(_ notification: VerifiedNotification) {
        kind = "notification"
        decoded = SignedDocument.expanded(notification)
        bundleID = notification.claimedIdentity?.bundleId
        appAppleID = notification.claimedIdentity?.appAppleId
        environment = notification.claimedIdentity?.rawEnvironment
        namesApp = true
        carriesAppAppleID = true
        if case .innerMismatch(let detail) = notification.integrity { mismatch = detail } else { mismatch = nil }
        isFutureDated = notification.isFutureDated
    }

    private init(_ payload: JSONValue, _ jws: VerifiedJWS, now: Int64) {
        kind = SignedDocument.kind(of: payload)
        decoded = payload
        bundleID = payload["bundleId"]?.text
        appAppleID = payload["appAppleId"]?.integer
        environment = payload[kind == "appTransaction" ? "receiptType" : "environment"]?.text
        namesApp = kind == "transaction" || kind == "appTransaction"
        carriesAppAppleID = kind == "appTransaction"
        mismatch = nil
        isFutureDated = jws.isFutureDated(now: now)
    }

    private static func kind(of payload: JSONValue) -> String {
        if payload["receiptType"] != nil { return "appTransaction" }
        if payload["autoRenewStatus"] != nil || payload["autoRenewProductId"] != nil { return "renewalInfo" }
        return payload["transactionId"] != nil || payload["bundleId"] != nil ? "transaction" : "other"
    }

    private static func expanded(_ notification: VerifiedNotification) -> JSONValue {
        guard var payload = try? notification.jws.decode(JSONValue.self) else { return .null }
        payload["data"]?["signedTransactionInfo"] = try? notification.transaction?.jws.decode(JSONValue.self)
        payload["data"]?["signedRenewalInfo"] = try? notification.renewalInfo?.jws.decode(JSONValue.self)
        payload["appData"]?["signedAppTransactionInfo"] = try? notification.appTransaction?.jws.decode(JSONValue.self)
        return payload
    }
}

extension JSONValue {
    /// A member of an object; nil on anything else. Setting nil leaves the object as it is.
    fileprivate subscript(_ member: String) -> JSONValue? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[member]
        }
        set {
            guard case .object(var members) = self, let newValue else { return }
            members[member] = newValue
            self = .object(members)
        }
    }
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}

extension [UInt8] {
    /// Without white space at either end, as files end in a line feed.
    fileprivate var trimmed: [UInt8] {
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else { return [] }
        return Array(self[first...last])
    }
}
