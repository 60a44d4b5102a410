import Foundation

/// A quantity in a request: a decimal number of at most six places, taken exactly.
struct WireQuantity: Decodable, Sendable {
    var millionths: Int64

    /// In units, either way.
    static let largest: Decimal = 1_000_000_000

    init(from decoder: any Decoder) throws {
        let value = try? decoder.singleValueContainer().decode(Decimal.self)
        guard let value, value.magnitude <= WireQuantity.largest else {
            throw InvalidValue.at(decoder.codingPath, "must be a number from -1000000000 to 1000000000.")
        }
        guard let millionths = Int64((value * 1_000_000).description) else {
            throw InvalidValue.at(decoder.codingPath, "must not have more than six decimal places.")
        }
        self.millionths = millionths
    }
}
