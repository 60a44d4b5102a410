/// One error of the App Store Server API: what Apple means and what its owner can do.
package struct ServerAPIErrorCode: Sendable, Hashable {
    /// `nil` for errors that Apple names without publishing their number.
    package var code: Int64?
    /// Apple's name; `nil` where only the number is known.
    package var name: String?
    package var meaning: String
    package var remedy: String
    /// Whether Apple itself says to try the same request again.
    package var isRetryable = false

    /// The entry for a number; `nil` for one that is not in the catalogue.
    package static subscript(_ code: Int64) -> ServerAPIErrorCode? { byCode[code] }

    private static let byCode = Dictionary(uniqueKeysWithValues: all.compactMap { entry in entry.code.map { ($0, entry) } })

    init(_ code: Int64?, _ name: String?, _ meaning: String, _ remedy: String, isRetryable: Bool = false) {
        self.code = code
        self.name = name
        self.meaning = meaning
        self.remedy = remedy
        self.isRetryable = isRetryable
    }
}

extension ServerAPIErrorCode: CustomStringConvertible {
    package var description: String {
        let label = [name, code.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        return "\(label): \(meaning). \(remedy)."
    }
}
