extension SignedPayloadVerifier {
    /// Verifies the body of a request on the notification URL, `{"signedPayload": "..."}`, and all that is signed inside it.
    ///
    /// - Parameter now: Milliseconds since the epoch.
    /// - Throws: The first fault found, also inside: one broken signature breaks the whole.
    package func verifyNotification(body: [UInt8], at instant: Int64? = nil, now: Int64) throws(VerificationError) -> VerifiedNotification {
        try verifyNotification(SignedPayload(body: body), at: instant, now: now)
    }

    /// As ``verifyNotification(body:at:now:)``, for a `signedPayload` from another source, such as the notification history.
    package func verifyNotification(
        _ signed: SignedPayload, at instant: Int64? = nil, now: Int64
    ) throws(VerificationError) -> VerifiedNotification {
        let jws = try verify(signed, at: instant, now: now)
        let payload = try jws.decode(ResponseBodyV2DecodedPayload.self)
        return try VerifiedNotification(
            jws, payload,
            transaction: inner(payload.data?.signedTransactionInfo, "signedTransactionInfo", at: instant, now: now),
            renewalInfo: inner(payload.data?.signedRenewalInfo, "signedRenewalInfo", at: instant, now: now),
            appTransaction: inner(payload.appData?.signedAppTransactionInfo, "signedAppTransactionInfo", at: instant, now: now),
            now: now)
    }

    /// Verifies a bare `signedTransactionInfo`, from the app or from Apple's API.
    ///
    /// - Throws: `malformed` also for what Apple signed but is no transaction.
    package func verifyTransaction(
        _ signed: SignedPayload, at instant: Int64? = nil, now: Int64
    ) throws(VerificationError) -> Verified<JWSTransactionDecodedPayload> {
        let verified: Verified<JWSTransactionDecodedPayload> = try decoded(verify(signed, at: instant, now: now))
        guard verified.payload.bundleId != nil else { throw VerificationError(.malformed, "not a transaction: it has no bundleId") }
        return verified
    }

    /// Verifies a bare `signedRenewalInfo`, from Apple's API. It names no app: tie it to the transaction beside it.
    package func verifyRenewalInfo(
        _ signed: SignedPayload, at instant: Int64? = nil, now: Int64
    ) throws(VerificationError) -> Verified<JWSRenewalInfoDecodedPayload> {
        try decoded(verify(signed, at: instant, now: now))
    }

    /// Verifies a bare `signedAppTransactionInfo`, from the app or from Apple's API.
    package func verifyAppTransaction(
        _ signed: SignedPayload, at instant: Int64? = nil, now: Int64
    ) throws(VerificationError) -> Verified<AppTransactionDecodedPayload> {
        try decoded(verify(signed, at: instant, now: now))
    }

    private func inner<Payload: Decodable>(
        _ text: String?, _ member: String, at instant: Int64?, now: Int64
    ) throws(VerificationError) -> Verified<Payload>? {
        guard let text else { return nil }
        do throws(VerificationError) {
            return try decoded(verify(SignedPayload(text), at: instant, now: now))
        } catch { throw error.within(member) }
    }

    private func decoded<Payload: Decodable>(_ jws: VerifiedJWS) throws(VerificationError) -> Verified<Payload> {
        try Verified(payload: jws.decode(), jws: jws)
    }
}
