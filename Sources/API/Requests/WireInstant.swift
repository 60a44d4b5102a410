import Domain

/// An instant in a request: milliseconds since the epoch, between 1970 and the end of the year 9999.
struct WireInstant: Decodable, Sendable {
    var value: Timestamp

    init(from decoder: any Decoder) throws {
        let milliseconds = try? decoder.singleValueContainer().decode(Int64.self)
        guard let milliseconds, let value = Timestamp(plausible: milliseconds) else {
            throw InvalidValue.at(decoder.codingPath, Timestamp.plausibleText)
        }
        self.value = value
    }
}

/// An instant in a request: as ``WireInstant``, or text in UTC as the configuration takes it.
struct WireMoment: Decodable, Sendable {
    var value: Timestamp

    init(from decoder: any Decoder) throws {
        guard let text = try? decoder.singleValueContainer().decode(String.self) else {
            value = try WireInstant(from: decoder).value
            return
        }
        guard let value = Timestamp(utc: text).flatMap({ Timestamp(plausible: $0.milliseconds) }) else {
            throw InvalidValue.at(decoder.codingPath, "must be a time in UTC such as 2026-11-01T10:00Z, or milliseconds since the epoch.")
        }
        self.value = value
    }
}

extension Timestamp {
    init?(plausible milliseconds: Int64) {
        guard Timestamp.plausible.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
    static let plausible: ClosedRange<Int64> = 0...253_402_300_799_999
    static let plausibleText = "must be a whole number: milliseconds since the epoch, UTC, before the year 10000."
}
