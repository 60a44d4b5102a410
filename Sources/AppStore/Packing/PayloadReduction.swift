import Crypto
import Domain
import Foundation

/// Leaves of stored signed messages what is folded of them: no signature, no certificate, no member that the ledger does not take.
///
/// What comes out is no longer signed, and says so in its header. In the signature's place stands the SHA-256 of the payload as Apple signed
/// it, by which facts of one instant are ordered: so it is folded to the very same state. Where it would not be, nothing
/// comes out.
package enum PayloadReduction {
    /// A notification's request body; nil where the bytes are none, or where less would be folded of it.
    package static func notification(_ body: [UInt8]) -> [UInt8]? {
        guard let fact = TrustedPayload.notification(body), let signed = try? SignedPayload(body: body),
            let jws = TrustedPayload.jws(signed),
            var payload = try? jws.decode(ResponseBodyV2DecodedPayload.self)
        else { return nil }
        let data = payload.data
        payload.data?.signedTransactionInfo = data?.signedTransactionInfo.flatMap(transaction(_:))
        payload.data?.signedRenewalInfo = data?.signedRenewalInfo.flatMap(renewal(_:))
        payload.appData?.signedAppTransactionInfo = nil
        payload.externalPurchaseToken?.externalPurchaseId = nil
        payload.unclaimInfo?.unclaimSeatIds = nil
        guard let text = unsigned(payload, jws), let reduced = json(["signedPayload": text]) else { return nil }
        return TrustedPayload.notification(reduced) == fact ? reduced : nil
    }

    /// A `signedTransactionInfo` that came by itself.
    package static func transaction(_ text: [UInt8]) -> [UInt8]? {
        guard let copy = TrustedPayload.transaction(text), let reduced = transaction(String(decoding: text, as: UTF8.self)) else {
            return nil
        }
        let bytes = Array(reduced.utf8)
        return TrustedPayload.transaction(bytes) == copy ? bytes : nil
    }

    /// A row of Get All Subscription Statuses.
    package static func status(_ body: [UInt8]) -> [UInt8]? {
        guard let (copy, info) = TrustedPayload.status(body), var row = try? JSONDecoder().decode(SignedStatus.self, from: Data(body)),
            let reduced = transaction(row.signedTransactionInfo)
        else { return nil }
        row.signedTransactionInfo = reduced
        row.signedRenewalInfo = row.signedRenewalInfo.flatMap(renewal(_:))
        guard let bytes = json(row), let again = TrustedPayload.status(bytes) else { return nil }
        return again == (copy, info) ? bytes : nil
    }

    private static func transaction(_ text: String) -> String? {
        guard let signed = try? SignedPayload(text), let jws = TrustedPayload.jws(signed),
            var payload = try? jws.decode(JWSTransactionDecodedPayload.self)
        else { return nil }
        if payload.advancedCommerceInfo != nil { payload.advancedCommerceInfo = .object([:]) }
        payload.multiSeatInfo?.priceTiers = nil
        payload.storefrontId = nil
        payload.additionalTransactionReason = nil
        return unsigned(payload, jws)
    }

    private static func renewal(_ text: String) -> String? {
        guard let signed = try? SignedPayload(text), let jws = TrustedPayload.jws(signed),
            var payload = try? jws.decode(JWSRenewalInfoDecodedPayload.self)
        else { return nil }
        payload.advancedCommerceInfo = nil
        payload.multiSeatInfo = nil
        payload.eligibleWinBackOfferIds = nil
        return unsigned(payload, jws)
    }

    private static func unsigned(_ payload: some Encodable, _ jws: VerifiedJWS) -> String? {
        json(payload).map {
            Base64URL.encode(Array(TrustedPayload.unsignedHeader.utf8)) + "." + Base64URL.encode($0) + "."
                + Base64URL.encode(jws.payloadSHA256)
        }
    }

    private static func json(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? Array(encoder.encode(value))
    }
}
