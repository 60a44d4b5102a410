/// Why a signed payload is refused. Every case is final: the same bytes can never become valid.
package struct VerificationError: Error, Equatable, CustomStringConvertible {
    /// The raw values are those of the HTTP answers.
    package enum Code: String, Sendable, CaseIterable {
        case malformed
        case algorithm
        case chainLength = "chain-length"
        case certificate
        case untrustedChain = "untrusted-chain"
        case wrongPurpose = "wrong-purpose"
        case expiredCertificate = "expired-certificate"
        case badSignature = "bad-signature"
        case notANotification = "not-a-notification"
    }
    package var code: Code
    /// What is wrong, for the operator; no part of the payload.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
    package var description: String { "\(code.rawValue): \(detail)" }

    /// The same error, found in a member of something larger.
    func within(_ member: String) -> VerificationError { VerificationError(code, "\(member): \(detail)") }
}
