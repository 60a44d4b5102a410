/// A key or certificate that cannot be used. No later attempt with the same bytes can succeed.
package struct CryptoError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable { case key, certificate }
    package var code: Code
    /// What is wrong and what would be right; never any part of a key.
    package var detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
    package var description: String { detail }
}
