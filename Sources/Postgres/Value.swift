/// One value as it is sent to PostgreSQL, in binary.
package enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case integers([Int64])
}

/// A type that can stand for a parameter of a statement.
package protocol Bindable {
    var postgresValue: Value { get }
}

extension Value: Bindable {
    package var postgresValue: Value { self }
}

extension Int64: Bindable {
    package var postgresValue: Value { .integer(self) }
}

extension Int: Bindable {
    package var postgresValue: Value { .integer(Int64(self)) }
}

extension Int32: Bindable {
    package var postgresValue: Value { .integer(Int64(self)) }
}

/// Stored as 0 or 1 in a column of integers. For a column of type `boolean` there is ``Value/bool(_:)``.
extension Bool: Bindable {
    package var postgresValue: Value { .integer(self ? 1 : 0) }
}

extension String: Bindable {
    package var postgresValue: Value { .text(self) }
}

extension [UInt8]: Bindable {
    package var postgresValue: Value { .bytes(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    package var postgresValue: Value {
        switch self {
        case .some(let value): value.postgresValue
        case .none: .null
        }
    }
}

/// The parameters of one statement as libpq wants them: all bytes in one piece, each value's place in it.
struct Parameters {
    private var bytes: [UInt8] = []
    private var places: [(offset: Int, count: Int)?] = []

    init(_ values: [any Bindable]) {
        for value in values { append(value.postgresValue) }
    }

    private mutating func append(_ value: Value) {
        let offset = bytes.count
        switch value {
        case .null:
            places.append(nil)
            return
        case .integer(let integer): appendBigEndian(integer)
        case .bool(let flag): bytes.append(flag ? 1 : 0)
        case .text(let text): append(text)
        case .bytes(let raw): bytes += raw
        case .integers(let integers): append(integers)
        }
        places.append((offset, bytes.count - offset))
    }

    /// PostgreSQL keeps no U+0000 in text: the replacement character stands for it.
    private mutating func append(_ text: String) {
        guard text.utf8.contains(0) else {
            bytes += text.utf8
            return
        }
        for scalar in text.unicodeScalars { bytes += Array(String(scalar == "\0" ? "\u{FFFD}" : scalar).utf8) }
    }

    /// An array of `int8`: dimensions, no nulls, the elements' type, their count, the first one's index, then each after its length.
    private mutating func append(_ integers: [Int64]) {
        for word in [integers.isEmpty ? 0 : 1, 0, 20] { appendBigEndian(Int32(word)) }
        guard !integers.isEmpty else { return }
        appendBigEndian(Int32(integers.count))
        appendBigEndian(Int32(1))
        for integer in integers {
            appendBigEndian(Int32(8))
            appendBigEndian(integer)
        }
    }

    private mutating func appendBigEndian(_ integer: some FixedWidthInteger) {
        for shift in stride(from: integer.bitWidth - 8, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: integer >> shift)) }
    }

    /// One row as COPY wants it in binary: how many values, then each after its length.
    var tuple: [UInt8] {
        var row = Parameters([])
        row.appendBigEndian(Int16(places.count))
        for place in places {
            row.appendBigEndian(Int32(place?.count ?? -1))
            if let place { row.bytes += bytes[place.offset..<(place.offset + place.count)] }
        }
        return row.bytes
    }

    /// Lends count, values, lengths and formats.
    func withPointers<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        let lengths = places.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: places.count)
        // One byte more, so that an empty value has an address too: a null pointer would be NULL.
        return unsafe (bytes + [0]).withUnsafeBytes { raw in
            let start = unsafe raw.bindMemory(to: CChar.self).baseAddress
            let pointers = unsafe places.map { place in unsafe place.flatMap { unsafe start?.advanced(by: $0.offset) } }
            return unsafe body(Int32(places.count), pointers, lengths, formats)
        }
    }
}
