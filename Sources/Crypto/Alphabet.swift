/// The 64 characters of an encoding, and both directions of the translation.
struct Alphabet: Sendable {
    static let standard = Alphabet("+/")
    static let url = Alphabet("-_")

    private let characters: [UInt8]
    /// The value of each character at each of the four places of a group, shifted to its place in 24 bits. `invalid` has a bit above them.
    private let values: [UInt32]
    private static let invalid: UInt32 = 1 << 31

    private init(_ lastTwo: StaticString) {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(lastTwo)"
        characters = Array(digits.utf8)
        var values = [UInt32](repeating: Self.invalid, count: 4 * 256)
        for (value, character) in characters.enumerated() {
            for place in 0..<4 { values[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place) }
        }
        self.values = values
    }

    func encode(_ bytes: Span<UInt8>, padded: Bool) -> [UInt8] {
        let rest = bytes.count % 3
        let size = bytes.count / 3 * 4 + (rest == 0 ? 0 : padded ? 4 : rest + 1)
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
            unsafe bytes.withUnsafeBufferPointer { unsafe encode($0, into: output) }
            count = size
        }
    }

    /// Encodes whole groups, then the rest. Every index is within bounds by the arithmetic in `encode(_:padded:)`, which sized the output;
    /// what is left of it after the last character is padding.
    private func encode(_ bytes: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) {
        unsafe characters.withUnsafeBufferPointer { characters in
            var from = 0
            var to = 0
            while from + 2 < bytes.count {
                let group = unsafe UInt32(bytes[from]) << 16 | UInt32(bytes[from + 1]) << 8 | UInt32(bytes[from + 2])
                unsafe output[to] = characters[Int(group >> 18)]
                unsafe output[to + 1] = characters[Int(group >> 12) & 63]
                unsafe output[to + 2] = characters[Int(group >> 6) & 63]
                unsafe output[to + 3] = characters[Int(group) & 63]
                from += 3
                to += 4
            }
            guard from < bytes.count else { return }
            var group = unsafe UInt32(bytes[from]) << 16
            if from + 1 < bytes.count { unsafe group |= UInt32(bytes[from + 1]) << 8 }
            for place in 0...(bytes.count - from) {
                unsafe output[to] = characters[Int(group >> UInt32(18 - 6 * place)) & 63]
                to += 1
            }
            while to < output.count {
                unsafe output[to] = UInt8(ascii: "=")
                to += 1
            }
        }
    }

    /// Decodes text without padding.
    /// - Returns: nil if a character is foreign, the length is impossible, or spare bits are set.
    func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        var faults: UInt32 = 0
        let size = text.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
            faults = unsafe text.withUnsafeBufferPointer { unsafe decode($0, into: output) }
            count = size
        }
        return faults == 0 ? decoded : nil
    }

    /// Decodes whole groups, then the rest. Every index is within bounds by the arithmetic in `decode(_:)`, which sized the output.
    /// - Returns: 0, or something else if any character was foreign or any spare bit set: looked at once, after the loop.
    private func decode(_ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> UInt32 {
        unsafe values.withUnsafeBufferPointer { values in
            var faults: UInt32 = 0
            var from = 0
            var to = 0
            let whole = text.count & ~3
            while from < whole {
                let group =
                    unsafe values[Int(text[from])] | values[256 + Int(text[from + 1])]
                    | values[512 + Int(text[from + 2])] | values[768 + Int(text[from + 3])]
                unsafe output[to] = UInt8(truncatingIfNeeded: group >> 16)
                unsafe output[to + 1] = UInt8(truncatingIfNeeded: group >> 8)
                unsafe output[to + 2] = UInt8(truncatingIfNeeded: group)
                faults |= group
                from += 4
                to += 3
            }
            faults &= Self.invalid
            guard from < text.count else { return faults }
            var group: UInt32 = 0
            for place in 0..<(text.count - from) { unsafe group |= values[place * 256 + Int(text[from + place])] }
            unsafe output[to] = UInt8(truncatingIfNeeded: group >> 16)
            if text.count - from == 3 { unsafe output[to + 1] = UInt8(truncatingIfNeeded: group >> 8) }
            let spare: UInt32 = text.count - from == 3 ? 0xFF : 0xFFFF
            return faults | (group & (Self.invalid | spare))
        }
    }
}
