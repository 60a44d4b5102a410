import Foundation

/// A quantity in a request: a decimal number of up to six places exactly, the rest rounded.
struct WireQuantity: Decodable, Sendable {
    var millionths: Int64

    /// In units, either way.
    static let largest: Decimal = 1_000_000_000

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Decimal has no exponent for 1e-300, which is zero here.
        let isTiny = (try? container.decode(Double.self)).map { $0.magnitude < 1e-100 } ?? false
        let value = isTiny ? 0 : try? container.decode(Decimal.self)
        guard let value, value.magnitude <= WireQuantity.largest else {
            throw InvalidValue.at(decoder.codingPath, "must be a number from -1000000000 to 1000000000.")
        }
        // Binary floating point elsewhere makes 0.30000000000000004 of three tenths: what lies beyond a millionth is rounded.
        var (scaled, rounded) = (value * 1_000_000, Decimal())
        NSDecimalRound(&rounded, &scaled, 0, .bankers)
        millionths = NSDecimalNumber(decimal: rounded).int64Value
    }
}
