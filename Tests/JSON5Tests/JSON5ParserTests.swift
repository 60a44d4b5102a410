import Testing

@testable import JSON5

/// A value without its places, to compare with.
indirect enum Plain: Equatable {
    case null, bool(Bool), number(Int64, Int), string(String), list([Plain]), object([String], [Plain])

    init(_ node: JSON5Node) {
        switch node.value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .number(value.significand, value.exponent)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .list(elements.map(Plain.init))
        case .object(let members): self = .object(members.map(\.key), members.map { Plain($0.node) })
        }
    }
}

func parse(_ text: String, maximumDepth: Int = 64) -> Result<JSON5Node, JSON5Error> {
    Result { () throws(JSON5Error) in try JSON5Node(parsing: Array(text.utf8), maximumDepth: maximumDepth) }
}

struct Accepted: CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var expected: Plain

    init(_ name: String, _ text: String, _ expected: Plain) { (testDescription, self.text, self.expected) = (name, text, expected) }
}

@Test(arguments: [
    Accepted("null", "null", .null),
    Accepted("true", " true ", .bool(true)),
    Accepted("false", "\tfalse\n", .bool(false)),
    Accepted("a byte order mark", "\u{FEFF}1", .number(1, 0)),
    Accepted("unusual space", "\u{A0}\u{3000}\u{2028}\u{0B}\u{0C}1", .number(1, 0)),
    Accepted("comments", "/* a * / // */ 1 // the end", .number(1, 0)),
    Accepted("a comment up to CR", "// one\r1", .number(1, 0)),
    Accepted("zero", "0", .number(0, 0)),
    Accepted("minus zero", "-0.00", .number(0, -2)),
    Accepted("plus", "+7", .number(7, 0)),
    Accepted("trailing zeros are kept", "1200", .number(1200, 0)),
    Accepted("a fraction stays exact", "9.99", .number(999, -2)),
    Accepted("0.1 stays exact", "0.10", .number(10, -2)),
    Accepted("leading point", ".5", .number(5, -1)),
    Accepted("trailing point", "5.", .number(5, 0)),
    Accepted("exponent", "-1.5e3", .number(-15, 2)),
    Accepted("negative exponent", "25E-4", .number(25, -4)),
    Accepted("hexadecimal", "0xFf", .number(255, 0)),
    Accepted("negative hexadecimal", "-0X1e", .number(-30, 0)),
    Accepted("18 digits", "123456789012345678", .number(123_456_789_012_345_678, 0)),
    Accepted("double quotes", #""it's""#, .string("it's")),
    Accepted("single quotes", #"'say "x"'"#, .string("say \"x\"")),
    Accepted("escapes", #"'\b\f\n\r\t\v\0\\\'\"\/\q'"#, .string("\u{8}\u{C}\n\r\t\u{B}\0\\'\"/q")),
    Accepted("hexadecimal escape", #"'\x41\xe9'"#, .string("Aé")),
    Accepted("Unicode escape", #"'\u00e9'"#, .string("é")),
    Accepted("surrogate pair", #"'\uD83D\uDE00'"#, .string("😀")),
    Accepted("continued line", "'a\\\nb\\\r\nc\\\u{2028}d'", .string("abcd")),
    Accepted("line separator inside a string", "'a\u{2028}b'", .string("a\u{2028}b")),
    Accepted("comment marks inside a string", "'https://a/*b*/'", .string("https://a/*b*/")),
    Accepted("empty list", "[]", .list([])),
    Accepted("trailing comma in a list", "[1, [2,],]", .list([.number(1, 0), .list([.number(2, 0)])])),
    Accepted("empty object", "{ /* nothing */ }", .object([], [])),
    Accepted("trailing comma in an object", "{a: 1,}", .object(["a"], [.number(1, 0)])),
    Accepted(
        "kinds of keys", "{$a_1: 1, 'b-c': 2, \"*\": 3, é: 4}", .object(["$a_1", "b-c", "*", "é"], [1, 2, 3, 4].map { .number($0, 0) })),
    Accepted("escaped key", #"{\u0061b: 1}"#, .object(["ab"], [.number(1, 0)])),
    Accepted("reserved words are keys", "{null: 1, true: 2}", .object(["null", "true"], [.number(1, 0), .number(2, 0)])),
])
func accepted(_ row: Accepted) throws {
    #expect(Plain(try parse(row.text).get()) == row.expected)
}

struct Refused: CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var line: Int
    var column: Int
    var words: String

    init(_ name: String, _ text: String, _ line: Int, _ column: Int, _ words: String) {
        (testDescription, self.text, self.line, self.column, self.words) = (name, text, line, column, words)
    }
}

@Test(arguments: [
    Refused("nothing", "", 1, 1, "a value is expected, found the end"),
    Refused("only a comment", "// x\n", 2, 1, "a value is expected"),
    Refused("two values", "1\n 2", 2, 2, "nothing may follow"),
    Refused("unclosed object", "\n{a: 1,\n", 2, 1, "this '{' is not closed"),
    Refused("unclosed list", "[1", 1, 1, "this '[' is not closed"),
    Refused("wrong bracket", "[1}", 1, 3, "',' or ']' is expected, found '}'"),
    Refused("missing comma", "{a: 1\n b: 2}", 2, 2, "',' or '}' is expected"),
    Refused("missing colon", "{a 1}", 1, 4, "':' is expected after the key 'a'"),
    Refused("missing value", "{a: }", 1, 5, "a value is expected, found '}'"),
    Refused("two commas", "[1,,2]", 1, 4, "a value is expected"),
    Refused("only a comma", "{,}", 1, 2, "a key is expected"),
    Refused("number as key", "{1: 2}", 1, 2, "a key is expected"),
    Refused("key twice", "{a: 1,\nb: {a: 1},\n'a': 2}", 3, 1, "'a' stands twice, first on line 1"),
    Refused("open comment", "1\n /* x", 2, 2, "not closed"),
    Refused("lone slash", "/ 1", 1, 1, "a comment starts"),
    Refused("open string", "{a: 'x\n'}", 1, 5, "not closed on its line"),
    Refused("string open at the end", "'a\\", 1, 1, "not closed"),
    Refused("unquoted text", "{a: hello}", 1, 5, "needs quotation marks"),
    Refused("Infinity", "[-Infinity]", 1, 2, "finite number"),
    Refused("NaN", "NaN", 1, 1, "finite number"),
    Refused("leading zero", "010", 1, 1, "no number"),
    Refused("lone sign", "+", 1, 1, "no number"),
    Refused("two signs", "--1", 1, 1, "no number"),
    Refused("lone point", ".", 1, 1, "no number"),
    Refused("two points", "1.2.3", 1, 1, "no number"),
    Refused("empty exponent", "1e", 1, 1, "no number"),
    Refused("fraction of an exponent", "1e1.5", 1, 1, "no number"),
    Refused("empty hexadecimal", "0x", 1, 1, "no number"),
    Refused("unit beside a number", "12px", 1, 1, "no number"),
    Refused("digits of another script", "١", 1, 1, "a value is expected"),
    Refused("a digit with an accent", "1\u{301}", 1, 1, "no number"),
    Refused("19 digits", "1234567890123456789", 1, 1, "kept exactly"),
    Refused("19 digits behind the point", "0.1234567890123456789", 1, 1, "kept exactly"),
    Refused("great exponent", "1e100", 1, 1, "kept exactly"),
    Refused("exponent beyond integers", "1e99999999999999999999", 1, 1, "kept exactly"),
    Refused("17 hexadecimal digits", "0x10000000000000000", 1, 1, "kept exactly"),
    Refused("short hexadecimal escape", #"'\x4'"#, 1, 2, "2 hexadecimal digits"),
    Refused("short Unicode escape", #"'\u00'"#, 1, 2, "4 hexadecimal digits"),
    Refused("half a pair", #"'\uD83D'"#, 1, 2, "surrogate"),
    Refused("the second half first", #"'\uDE00\uD83D'"#, 1, 2, "surrogate"),
    Refused("half and a letter", #"'\uD83D\u0041'"#, 1, 2, "surrogate"),
    Refused("octal escape", #"'\01'"#, 1, 2, "octal"),
    Refused("digit escape", #"'\8'"#, 1, 2, "no escape"),
    Refused("backslash in a key", #"{a\n: 1}"#, 1, 3, "backslash"),
    Refused("escaped space in a key", #"{\u0020: 1}"#, 1, 2, "needs quotation marks"),
    Refused("control character", "\u{1}", 1, 1, "U+1"),
    Refused("CR LF is one line end", "\r\n\r\n ?", 3, 2, "found '?'"),
    Refused("CR alone ends a line", "\r\r?", 3, 1, "found '?'"),
])
func refused(_ row: Refused) {
    guard case .failure(let error) = parse(row.text) else {
        Issue.record("\(row.text) was accepted")
        return
    }
    #expect(error.line == row.line && error.column == row.column && error.message.contains(row.words), "\(error)")
}

@Test func valuesAreNotQuotedInMessages() {
    for text in ["{secret: whsec_dGVzdA}", "{token: 123:AAE}", "{secret: 'whsec_dGVz\n'}", "{token: 123AAE}"] {
        guard case .failure(let error) = parse(text) else {
            Issue.record("\(text) was accepted")
            continue
        }
        #expect(!error.description.contains("dGVz") && !error.description.contains("AAE"), "\(error)")
    }
}

@Test func nestingIsBounded() throws {
    #expect(throws: Never.self) { try parse("[[[1]]]", maximumDepth: 3).get() }
    #expect(throws: Never.self) { try parse("[[],[],[],{}]", maximumDepth: 2).get() }
    guard case .failure(let error) = parse("[[\n{a: 1}]]", maximumDepth: 2) else {
        Issue.record("three levels were accepted")
        return
    }
    #expect(error == JSON5Error(line: 2, column: 1, message: "nested deeper than 2 levels"))
    #expect(throws: JSON5Error.self) { try parse(String(repeating: "[", count: 1_000_000)).get() }
    #expect(throws: JSON5Error.self) { try parse(String(repeating: "{a:", count: 1_000_000)).get() }
}

@Test func placesOfKeysAndValues() throws {
    let node = try parse("// head\n{\n  a: 1, 'b':\n    [2,\n  3],\n}").get()
    guard case .object(let members) = node.value, case .array(let elements) = members[1].node.value else {
        Issue.record("not the expected shape")
        return
    }
    #expect((node.line, node.column) == (2, 1))
    #expect(members.map(\.keyLine) == [3, 3])
    #expect(members.map(\.node.line) == [3, 4])
    #expect(elements.map(\.line) == [4, 5])
    #expect(elements.map(\.column) == [6, 3])
}

@Test func bytesThatAreNotUTF8NameTheirLine() {
    #expect(throws: JSON5Error(line: 2, column: 1, message: "the text is not UTF-8 here: save the file as UTF-8")) {
        try JSON5Node(parsing: Array("{a: 1,\n b: '".utf8) + [0xFF] + Array("'}".utf8))
    }
}

@Test func sizeIsBounded() {
    #expect(throws: JSON5Error.self) { try JSON5Node(parsing: [UInt8](repeating: 0x20, count: JSON5Node.maximumSize + 1)) }
}
