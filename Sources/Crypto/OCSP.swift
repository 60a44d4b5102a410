import CLibcrypto

/// Asks whether a certificate was revoked, by the Online Certificate Status Protocol (RFC 6960, in the profile of RFC 5019).
package enum OCSP {
    package enum Status: Sendable, Equatable { case good, revoked, unknown }

    /// Why an answer cannot be used.
    package enum Fault: Error, Equatable {
        /// No readable answer for this instant: a responder's error, stale, not yet valid, or not a response. Asking again later may help.
        case unusable(String)
        /// Not signed by the issuer or by one that it delegated, or about another certificate. The same bytes can never be right.
        case forged(String)
    }

    /// How far the responder's clock and ours may differ, in milliseconds.
    private static let skew: Int64 = 60_000

    /// The first `http` responder that the certificate's authority information access names; nil where there is none.
    package static func responderURL(of certificate: Certificate) -> String? {
        defer { ERR_clear_error() }
        guard let urls = unsafe X509_get1_ocsp(certificate.pointer) else { return nil }
        defer { unsafe X509_email_free(urls) }
        for index in unsafe 0..<crypto_strings_count(urls) {
            guard let text = unsafe crypto_strings_at(urls, index) else { continue }
            let url = unsafe String(cString: text)
            if url.lowercased().hasPrefix("http://") { return url }
        }
        return nil
    }

    /// The DER of a request about one certificate: a SHA-1 id, as RFC 5019 section 2.1.1 has it, and no nonce, so that answers can be cached.
    package static func request(about certificate: Certificate, issuer: Certificate) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let request = unsafe OCSP_REQUEST_new() else { preconditionFailure("out of memory") }
        defer { unsafe OCSP_REQUEST_free(request) }
        let added = unsafe OCSP_request_add0_id(request, id(of: certificate, issuer: issuer))
        precondition(unsafe added != nil, "out of memory")
        let count = unsafe i2d_OCSP_REQUEST(request, nil)
        precondition(count > 0, "libcrypto cannot write a request that it made")
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { output, filled in
            var next = output.baseAddress
            filled = unsafe Int(i2d_OCSP_REQUEST(request, &next))
        }
    }

    /// What a responder's answer says about a certificate at an instant.
    ///
    /// The signer is the issuer itself, or a certificate that the issuer made for OCSPSigning and that is valid at the instant. Whether
    /// such a delegate was itself revoked is not looked at. Answers without `nextUpdate` are unusable (RFC 5019 section 4).
    /// - Parameters:
    ///   - response: The body of the answer. Bound its size before.
    ///   - issuer: The one that ``CertificatePath`` proved; nothing else is trusted.
    ///   - instant: Milliseconds since the epoch.
    package static func status(
        in response: [UInt8], of certificate: Certificate, issuer: Certificate, atMilliseconds instant: Int64
    ) throws(Fault) -> Status {
        defer { ERR_clear_error() }
        let basic = try unsafe basicResponse(in: response)
        defer { unsafe OCSP_BASICRESP_free(basic) }
        guard unsafe isSigned(basic, for: issuer, at: instant) else {
            throw .forged("the OCSP response is not signed by the certificate's issuer, nor by a valid OCSP signer of that issuer")
        }
        return try unsafe status(in: basic, of: certificate, issuer: issuer, at: instant)
    }
}

extension OCSP {
    /// The caller frees it, or gives it to libcrypto.
    static func id(of certificate: Certificate, issuer: Certificate) -> OpaquePointer {
        guard let id = unsafe OCSP_cert_to_id(EVP_sha1(), certificate.pointer, issuer.pointer) else { preconditionFailure("out of memory") }
        return unsafe id
    }

    /// The caller frees it.
    private static func basicResponse(in der: [UInt8]) throws(Fault) -> OpaquePointer {
        guard DER.isOneElement(der.span), let response = unsafe parse(der) else { throw .unusable("not an OCSP response in DER") }
        defer { unsafe OCSP_RESPONSE_free(response) }
        let status = unsafe OCSP_response_status(response)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
            throw .unusable("the OCSP responder gives no answer: \(unsafe String(cString: OCSP_response_status_str(Int(status))))")
        }
        guard let basic = unsafe OCSP_response_get1_basic(response) else { throw .unusable("not a basic OCSP response") }
        return unsafe basic
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_OCSP_RESPONSE(nil, &next, buffer.count)
        }
    }

    /// The issuer is the only trust, though it is no root (PARTIAL_CHAIN), and is at hand for answers that do not carry it.
    ///
    /// Not with OCSP_TRUSTOTHER, which skips the check that the signer may speak for the issuer; with OCSP_NOEXPLICIT, since no other
    /// authority may take the place of that check.
    private static func isSigned(_ basic: OpaquePointer, for issuer: Certificate, at instant: Int64) -> Bool {
        guard let store = unsafe X509_STORE_new(), let others = unsafe crypto_certificates_new() else {
            preconditionFailure("out of memory")
        }
        defer {
            unsafe crypto_certificates_free(others)
            unsafe X509_STORE_free(store)
        }
        precondition(unsafe X509_STORE_add_cert(store, issuer.pointer) == 1, "out of memory")
        precondition(unsafe crypto_certificates_push(others, issuer.pointer) > 0, "out of memory")
        unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        unsafe X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), Int(instant / 1000))
        return unsafe OCSP_basic_verify(basic, others, store, UInt(OCSP_NOEXPLICIT)) == 1
    }

    /// Reads a proven answer. Not by OCSP_check_validity, which knows no clock but the machine's.
    private static func status(
        in basic: OpaquePointer, of certificate: Certificate, issuer: Certificate, at instant: Int64
    ) throws(Fault) -> Status {
        let id = unsafe id(of: certificate, issuer: issuer)
        defer { unsafe OCSP_CERTID_free(id) }
        var status: Int32 = -1
        var thisUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        guard unsafe OCSP_resp_find_status(basic, id, &status, nil, nil, &thisUpdate, &nextUpdate) == 1 else {
            throw .forged("the OCSP response is about another certificate")
        }
        guard let start = unsafe Certificate.milliseconds(thisUpdate), let end = unsafe Certificate.milliseconds(nextUpdate), start <= end
        else { throw .unusable("the OCSP response does not say from when until when it holds") }
        guard instant >= start - skew else { throw .unusable("the OCSP response is not valid yet: compare this machine's clock") }
        guard instant <= end + skew else { throw .unusable("the OCSP response is stale") }
        switch status {
        case V_OCSP_CERTSTATUS_GOOD: return .good
        case V_OCSP_CERTSTATUS_REVOKED: return .revoked
        case V_OCSP_CERTSTATUS_UNKNOWN: return .unknown
        default: throw .unusable("the OCSP response has a status that RFC 6960 does not know")
        }
    }
}
