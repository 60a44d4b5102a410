import CLibcrypto

/// Why a path proves nothing.
package enum PathError: Error, Equatable {
    /// The signatures do not lead to one of the roots.
    case untrusted
    /// The instant lies outside the validity of one of the certificates.
    case expired
    /// The signatures lead to a root, but a certificate may not stand where it stands.
    case invalid(reason: String)
}

/// A proven path: leaf, one intermediate, one of the pinned roots.
package struct CertificatePath: Sendable {
    package let leaf: Certificate
    package let intermediate: Certificate
    /// The pinned root it ends at.
    package let root: Certificate
    /// The instants, in milliseconds since the epoch, at which all three certificates are valid. Empty if there are none.
    package let validity: Range<Int64>

    /// Proves the path by RFC 5280: signatures, names, CA flags, key usage, path lengths, and validity at the instant.
    ///
    /// Revocation is not looked at. Roots and nothing else end the path; it has exactly three certificates.
    /// - Parameter atMilliseconds: Since the epoch; both ends of a validity count as inside, to the second (RFC 5280 section 4.1.2.5).
    @discardableResult
    package static func verify(
        leaf: Certificate, intermediate: Certificate, roots: [Certificate], atMilliseconds instant: Int64
    ) throws(PathError) -> CertificatePath {
        let path = try prove(leaf: leaf, intermediate: intermediate, roots: roots)
        try path.check(at: instant)
        return path
    }

    /// As ``verify(leaf:intermediate:roots:atMilliseconds:)``, but without an instant: ask ``check(at:)`` before trusting the path.
    package static func prove(leaf: Certificate, intermediate: Certificate, roots: [Certificate]) throws(PathError) -> CertificatePath {
        let root = try root(leaf: leaf, intermediate: intermediate, roots: roots)
        let all = [leaf, intermediate, root]
        let start = all.reduce(Int64.min) { max($0, $1.notBefore) }
        let end = all.reduce(Int64.max) { min($0, $1.notAfter) } + 1000
        return CertificatePath(leaf: leaf, intermediate: intermediate, root: root, validity: start..<max(start, end))
    }

    /// - Throws: ``PathError/expired`` and nothing else.
    package func check(at instant: Int64) throws(PathError) {
        guard validity.contains(instant) else { throw .expired }
    }

    private init(leaf: Certificate, intermediate: Certificate, root: Certificate, validity: Range<Int64>) {
        self.leaf = leaf
        self.intermediate = intermediate
        self.root = root
        self.validity = validity
    }

    /// Builds and checks the path, all but its dates: libcrypto's comparison takes the last second as expired.
    ///
    /// Not with X509_V_FLAG_X509_STRICT: it refuses the chain of Apple's own test data, which has no key identifiers. What it would add
    /// that matters, a CA flag that is really there, `isCA` asks for.
    /// - Returns: The root it ends at.
    private static func root(leaf: Certificate, intermediate: Certificate, roots: [Certificate]) throws(PathError) -> Certificate {
        defer { ERR_clear_error() }
        guard let store = unsafe X509_STORE_new(), let context = unsafe X509_STORE_CTX_new(), let others = unsafe crypto_certificates_new()
        else { preconditionFailure("out of memory") }
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe crypto_certificates_free(others)
            unsafe X509_STORE_free(store)
        }
        for root in roots { unsafe X509_STORE_add_cert(store, root.pointer) }
        unsafe crypto_certificates_push(others, intermediate.pointer)
        precondition(unsafe X509_STORE_CTX_init(context, store, leaf.pointer, others) == 1, "out of memory")
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
        unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY)
        unsafe X509_VERIFY_PARAM_set_depth(parameters, 1)  // one certificate between the leaf and the root
        guard unsafe X509_verify_cert(context) == 1 else { throw unsafe error(X509_STORE_CTX_get_error(context)) }
        return try unsafe rootOfThree(X509_STORE_CTX_get0_chain(context), intermediate: intermediate, roots: roots)
    }

    private static func rootOfThree(_ chain: OpaquePointer?, intermediate: Certificate, roots: [Certificate]) throws(PathError)
        -> Certificate
    {
        guard unsafe crypto_certificates_count(chain) == 3, unsafe X509_cmp(crypto_certificates_at(chain, 1), intermediate.pointer) == 0
        else {
            throw .invalid(reason: "the path is not leaf, intermediate, root")
        }
        let last = unsafe crypto_certificates_at(chain, 2)
        guard let root = roots.first(where: { unsafe X509_cmp($0.pointer, last) == 0 }) else { throw .untrusted }
        guard intermediate.isCA, root.isCA else { throw .invalid(reason: "an issuer without the CA flag") }
        return root
    }

    private static func error(_ code: Int32) -> PathError {
        switch code {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_CERT_SIGNATURE_FAILURE:
            .untrusted
        default: .invalid(reason: unsafe String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }
}

extension Certificate {
    /// Whether the basic constraints say so; libcrypto alone would take key usage for it.
    fileprivate var isCA: Bool { unsafe X509_check_ca(pointer) == 1 }
}
