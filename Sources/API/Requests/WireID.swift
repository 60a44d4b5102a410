/// An id in a request: a string, or a whole number, which is taken digit for digit and never rounded.
struct WireID: Decodable, Sendable {
    var text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else if let number = try? container.decode(UInt64.self) {
            text = String(number)
        } else {
            throw InvalidValue.at(decoder.codingPath, "must be a string.")
        }
    }
}
