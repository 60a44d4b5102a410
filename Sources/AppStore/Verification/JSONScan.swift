/// One pass over JSON before it is decoded: whether it is well formed, how deep, and that no object has a name twice.
///
/// A decoder keeps one of two members with the same name and another program the other; and it may recurse as deep as the text
/// does. So both are settled here. Names must be plain ASCII without escapes, as all of Apple's are: then equal names have equal bytes.
struct JSONScan {
    static let maximumDepth = 64
    static let maximumMemberCount = 256
    static let maximumNumberLength = 64

    /// The members of the outermost object: where their names, without quotes, and their values lie.
    private(set) var members: [(hash: UInt64, name: Range<Int>, value: Range<Int>)] = []
    var position = 0
    private var depth = 0
    /// Hashes of the names of all objects that are open, the innermost last. Two names with one hash would be taken for the same, which
    /// refuses the text.
    private var names: [UInt64] = []

    /// - Parameter range: Where exactly one object lies, with white space around it; by default all of `bytes`.
    static func ofObject(_ bytes: Span<UInt8>, in range: Range<Int>? = nil) throws(VerificationError) -> JSONScan {
        let bytes = bytes.extracting(first: range?.upperBound ?? bytes.count)
        var scan = JSONScan()
        scan.position = range?.lowerBound ?? 0
        scan.names.reserveCapacity(64)
        scan.members.reserveCapacity(48)
        scan.skipSpace(bytes)
        guard scan.peek(bytes) == UInt8(ascii: "{") else { throw VerificationError(.malformed, "not a JSON object") }
        try scan.object(bytes)
        scan.skipSpace(bytes)
        guard scan.position == bytes.count else { throw scan.fault("text behind the JSON object") }
        return scan
    }

    /// Where the value of a member of the outermost object lies. Names with the same hash and length are taken for the same, here as
    /// when looking for duplicates.
    func value(of name: String) -> Range<Int>? {
        let hash = name.utf8.reduce(Self.emptyHash, Self.hash)
        return members.first { $0.hash == hash && $0.name.count == name.utf8.count }?.value
    }

    func fault(_ what: String) -> VerificationError { VerificationError(.malformed, "JSON: \(what) at byte \(position)") }
}

extension JSONScan {
    func peek(_ bytes: Span<UInt8>) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while let byte = peek(bytes), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard peek(bytes) == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(_ bytes: Span<UInt8>) throws(VerificationError) {
        switch peek(bytes) {
        case UInt8(ascii: "\""): try string(bytes)
        case UInt8(ascii: "{"): try object(bytes)
        case UInt8(ascii: "["): try array(bytes)
        case UInt8(ascii: "t"): try literal("true", bytes)
        case UInt8(ascii: "f"): try literal("false", bytes)
        case UInt8(ascii: "n"): try literal("null", bytes)
        default: try number(bytes)
        }
    }

    private mutating func object(_ bytes: Span<UInt8>) throws(VerificationError) {
        try enter()
        let firstName = names.count
        skipSpace(bytes)
        if !take(UInt8(ascii: "}"), bytes) {
            repeat {
                try member(bytes, firstName: firstName)
                skipSpace(bytes)
            } while take(UInt8(ascii: ","), bytes)
            guard take(UInt8(ascii: "}"), bytes) else { throw fault("no , or }") }
        }
        names.removeSubrange(firstName...)
        depth -= 1
    }

    private mutating func member(_ bytes: Span<UInt8>, firstName: Int) throws(VerificationError) {
        skipSpace(bytes)
        let name = try name(bytes)
        let hash = name.reduce(Self.emptyHash) { Self.hash($0, bytes[$1]) }
        guard !names[firstName...].contains(hash) else { throw fault("a member that is there twice") }
        guard names.count - firstName < Self.maximumMemberCount else { throw fault("too many members") }
        names.append(hash)
        skipSpace(bytes)
        guard take(UInt8(ascii: ":"), bytes) else { throw fault("no :") }
        skipSpace(bytes)
        let start = position
        try value(bytes)
        if depth == 1 { members.append((hash, name, start..<position)) }
    }

    private mutating func array(_ bytes: Span<UInt8>) throws(VerificationError) {
        try enter()
        skipSpace(bytes)
        if !take(UInt8(ascii: "]"), bytes) {
            repeat {
                skipSpace(bytes)
                try value(bytes)
                skipSpace(bytes)
            } while take(UInt8(ascii: ","), bytes)
            guard take(UInt8(ascii: "]"), bytes) else { throw fault("no , or ]") }
        }
        depth -= 1
    }

    private mutating func enter() throws(VerificationError) {
        position += 1
        depth += 1
        guard depth <= Self.maximumDepth else { throw fault("nested deeper than \(Self.maximumDepth)") }
    }

    private mutating func name(_ bytes: Span<UInt8>) throws(VerificationError) -> Range<Int> {
        guard take(UInt8(ascii: "\""), bytes) else { throw fault("no name of a member") }
        let start = position
        while let byte = peek(bytes), (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") {
            position += 1
            if byte == UInt8(ascii: "\"") { return start..<position - 1 }
        }
        throw fault("a name that is not plain ASCII")
    }

    // FNV-1a.
    private static let emptyHash: UInt64 = 0xCBF2_9CE4_8422_2325
    private static func hash(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

    private mutating func literal(_ text: StaticString, _ bytes: Span<UInt8>) throws(VerificationError) {
        for index in 0..<text.utf8CodeUnitCount {
            let expected = text.withUTF8Buffer { $0[index] }
            guard take(expected, bytes) else { throw fault("not a value") }
        }
    }
}
