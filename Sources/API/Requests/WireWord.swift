/// A word out of a closed set in a request; the error names the set.
struct WireWord<Word: RawRepresentable & CaseIterable & Sendable>: Decodable, Sendable where Word.RawValue == String {
    var value: Word

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Word(rawValue: text) else {
            throw InvalidValue.at(decoder.codingPath, "must be one of: \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self.value = value
    }
}
