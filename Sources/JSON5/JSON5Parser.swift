/// The grammar of JSON5: descends once through the text, never deeper than it was told.
struct JSON5Parser {
    var scanner: JSON5Scanner
    private var depthLeft: Int
    private let maximumDepth: Int

    init(_ scanner: JSON5Scanner, maximumDepth: Int) {
        self.scanner = scanner
        self.maximumDepth = maximumDepth
        depthLeft = maximumDepth
    }

    mutating func document() throws(JSON5Error) -> JSON5Node {
        let node = try value()
        try scanner.skipSpaceAndComments()
        guard scanner.current == nil else { throw scanner.error("nothing may follow the value, found \(scanner.found)") }
        return node
    }

    private mutating func value() throws(JSON5Error) -> JSON5Node {
        try scanner.skipSpaceAndComments()
        let (line, column) = (scanner.line, scanner.column)
        let value: JSON5Value =
            switch scanner.current {
            case "{": try .object(members())
            case "[": try .array(elements())
            case "\"", "'": try .string(string())
            case let scalar? where Self.startsNumber(scalar): try .number(number())
            case let scalar? where Self.startsIdentifier(scalar): try word()
            default: throw scanner.error("a value is expected, found \(scanner.found)")
            }
        return JSON5Node(value, line: line, column: column)
    }

    private mutating func word() throws(JSON5Error) -> JSON5Value {
        let start = scanner
        let word = try identifier()
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "Infinity", "NaN": throw start.error("\(word) is not accepted: write a finite number")
        default: throw start.error("text needs quotation marks: without them only a number, true, false or null can stand here")
        }
    }

    private mutating func members() throws(JSON5Error) -> [JSON5Member] {
        try enter()
        let start = scanner
        scanner.advance()
        var members: [JSON5Member] = []
        var lineOfKey: [String: Int] = [:]
        while try !closes("}", openedAt: start) {
            let beforeKey = scanner
            let key = try self.key()
            if let earlier = lineOfKey.updateValue(beforeKey.line, forKey: key) {
                throw beforeKey.error("the key '\(key)' stands twice, first on line \(earlier)")
            }
            try scanner.skipSpaceAndComments()
            guard scanner.take(":") else { throw scanner.error("':' is expected after the key '\(key)', found \(scanner.found)") }
            members.append(JSON5Member(key: key, keyLine: beforeKey.line, node: try value()))
            try separator(before: "}", openedAt: start)
        }
        depthLeft += 1
        return members
    }

    private mutating func elements() throws(JSON5Error) -> [JSON5Node] {
        try enter()
        let start = scanner
        scanner.advance()
        var elements: [JSON5Node] = []
        while try !closes("]", openedAt: start) {
            elements.append(try value())
            try separator(before: "]", openedAt: start)
        }
        depthLeft += 1
        return elements
    }

    private mutating func enter() throws(JSON5Error) {
        guard depthLeft > 0 else { throw scanner.error("nested deeper than \(maximumDepth) levels") }
        depthLeft -= 1
    }

    /// Whether the container ends here; takes its closing mark then.
    private mutating func closes(_ mark: Unicode.Scalar, openedAt start: JSON5Scanner) throws(JSON5Error) -> Bool {
        try scanner.skipSpaceAndComments()
        guard scanner.current != nil else { throw start.error("this \(start.found) is not closed: '\(mark)' is missing") }
        return scanner.take(mark)
    }

    private mutating func separator(before mark: Unicode.Scalar, openedAt start: JSON5Scanner) throws(JSON5Error) {
        try scanner.skipSpaceAndComments()
        if scanner.take(",") || scanner.current == mark || scanner.current == nil { return }
        throw scanner.error("',' or '\(mark)' is expected, found \(scanner.found)")
    }

    private mutating func key() throws(JSON5Error) -> String {
        switch scanner.current {
        case "\"", "'": try string()
        case let scalar? where Self.startsIdentifier(scalar): try identifier()
        default: throw scanner.error("a key is expected, found \(scanner.found)")
        }
    }
}
