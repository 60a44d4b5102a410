import Crypto
import Domain
import Foundation

/// Decodes what was verified when it came in and has been in our own log since. Signatures are not looked at: never for anything that
/// comes from outside.
package enum TrustedPayload {
    /// The notification in a stored request body, as its verification gave it; nil where the stored bytes are damaged.
    package static func notification(_ body: [UInt8]) -> NotificationFact? {
        guard let signed = try? SignedPayload(body: body), let jws = jws(signed),
            let payload = try? jws.decode(ResponseBodyV2DecodedPayload.self)
        else { return nil }
        let notification = try? VerifiedNotification(
            jws, payload, transaction: inner(payload.data?.signedTransactionInfo), renewalInfo: inner(payload.data?.signedRenewalInfo),
            appTransaction: nil, now: .max)
        return notification?.fact
    }

    /// The transaction in a stored `signedTransactionInfo`.
    package static func transaction(_ bytes: [UInt8]) -> Snapshot<Transaction>? {
        guard let signed = try? SignedPayload(bytes), let verified: Verified<JWSTransactionDecodedPayload> = decode(signed) else {
            return nil
        }
        return verified.snapshot(notificationUUID: "")
    }

    /// Both signed infos of a stored row of Get All Subscription Statuses.
    package static func status(_ body: [UInt8]) -> (Snapshot<Transaction>, Snapshot<RenewalInfo>?)? {
        guard let row = try? JSONDecoder().decode(SignedStatus.self, from: Data(body)),
            let transaction: Verified<JWSTransactionDecodedPayload> = inner(row.signedTransactionInfo),
            let copy = transaction.snapshot(notificationUUID: "")
        else { return nil }
        let renewal: Verified<JWSRenewalInfoDecodedPayload>? = inner(row.signedRenewalInfo)
        return (copy, renewal?.snapshot(notificationUUID: ""))
    }

    private static func inner<Payload: Decodable>(_ text: String?) -> Verified<Payload>? {
        guard let text, let signed = try? SignedPayload(text) else { return nil }
        return decode(signed)
    }

    private static func decode<Payload: Decodable>(_ signed: SignedPayload) -> Verified<Payload>? {
        guard let jws = jws(signed), let payload = try? jws.decode(Payload.self) else { return nil }
        return Verified(payload: payload, jws: jws)
    }

    /// The header of what our own log keeps and nobody signed.
    static let unsignedHeader = #"{"alg":"none"}"#
    private static let unsignedSegment = Array(Base64URL.encode(Array(unsignedHeader.utf8)).utf8)

    static func jws(_ signed: SignedPayload) -> VerifiedJWS? {
        Base64URL.decode(signed.bytes.span.extracting(signed.payload)).map {
            VerifiedJWS(payload: $0, signedDateMilliseconds: date($0), signedSHA256: keptSHA256(signed))
        }
    }

    /// What ``PayloadReduction`` keeps in the signature's place: a signature has 64 bytes, a hash has half of them.
    private static func keptSHA256(_ signed: SignedPayload) -> [UInt8]? {
        guard signed.header.count == unsignedSegment.count, signed.bytes[signed.header].elementsEqual(unsignedSegment) else { return nil }
        return Base64URL.decode(signed.bytes.span.extracting(signed.signature)).flatMap { $0.count == 32 ? $0 : nil }
    }

    private static func date(_ payload: [UInt8]) -> Int64? {
        guard let range = try? JSONScan.ofObject(payload.span).value(of: "signedDate") else { return nil }
        return Int64(String(decoding: payload[range], as: UTF8.self))
    }
}

/// One row of Get All Subscription Statuses, as far as it is signed.
package struct SignedStatus: Codable, Sendable, Hashable {
    package var signedTransactionInfo: String
    package var signedRenewalInfo: String?

    package init(signedTransactionInfo: String, signedRenewalInfo: String?) {
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
    }
}

extension StatusResponse {
    /// The signed infos of every subscription in the answer.
    package var signedRows: [SignedStatus] {
        (data ?? []).flatMap { $0.lastTransactions ?? [] }.compactMap { item in
            item.signedTransactionInfo.map { SignedStatus(signedTransactionInfo: $0, signedRenewalInfo: item.signedRenewalInfo) }
        }
    }
}
