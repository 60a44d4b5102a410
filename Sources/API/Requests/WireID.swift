import Foundation

/// An id in a request: a string, or a whole number, which is taken digit for digit and never rounded.
struct WireID: Decodable, Sendable {
    var text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else if let number = try? container.decode(Decimal.self), let digits = WireID.digits(number) {
            text = digits
        } else {
            throw InvalidValue.at(decoder.codingPath, "must be a string.")
        }
    }

    /// As a decimal, because an integer with a fraction beyond 2^53 would be decoded by way of a double.
    private static func digits(_ number: Decimal) -> String? {
        let digits = "\(number)"
        return (Int64(digits).map(String.init) ?? UInt64(digits).map(String.init)) == digits ? digits : nil
    }
}
