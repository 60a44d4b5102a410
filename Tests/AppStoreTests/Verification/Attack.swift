import AppStore
import Crypto
import Testing

/// One attack of the list, by its number there, and the refusal it must meet; nil where it is to be accepted.
struct Attack: Sendable, CustomTestStringConvertible {
    var number: Int
    var what: String
    var expected: VerificationError.Code?
    /// Makes the JWS, and the chain whose root is trusted.
    var make: @Sendable () -> (jws: String, trusted: SigningChain)

    /// - Parameter make: Makes the JWS. The standard chain is trusted.
    init(_ number: Int, _ what: String, _ expected: VerificationError.Code?, _ make: @escaping @Sendable () -> String) {
        (self.number, self.what, self.expected) = (number, what, expected)
        self.make = { (make(), .standard) }
    }

    /// A trusted chain with one thing changed, whose leaf signs soundly.
    init(
        _ number: Int, _ what: String, _ expected: VerificationError.Code?, root: @escaping SigningChain.Change = { _ in },
        intermediate: @escaping SigningChain.Change = { _ in }, leaf: @escaping SigningChain.Change = { _ in },
        leafKey: CertificateKey.Kind = .p256
    ) {
        (self.number, self.what, self.expected) = (number, what, expected)
        make = {
            let chain = SigningChain(rootTemplate: root, intermediateTemplate: intermediate, leafTemplate: leaf, leafKey: leafKey)
            return (chain.sign(Sample.whole), chain)
        }
    }

    var testDescription: String { "\(number): \(what)" }
}
