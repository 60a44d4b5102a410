/// The body of a refusal by the App Store Server API. Keep the number: Apple adds to the list.
///
/// - Source: Error codes.
package struct APIErrorBody: WireObject, Equatable, Sendable {
    package var errorCode: Int64?
    package var errorMessage: String?

    private enum CodingKeys: String, CodingKey {
        case errorCode, errorMessage
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        errorCode = try container.int64(.errorCode)
        errorMessage = try container.text(.errorMessage)
    }
}
