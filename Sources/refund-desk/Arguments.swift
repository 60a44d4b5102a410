import Server

/// A command line, read by the options that a command declares.
struct Arguments {
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    init(_ words: some Sequence<String>, options: [Option], maximumOperands: Int) throws(UsageError) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                operands.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                throw UsageError(message: "unknown option --\(parts[0]); \(Arguments.advice(parts[0], options))")
            }
            try take(option, inline: parts.count > 1 ? parts[1] : nil, rest: &rest)
        }
        guard operands.count <= maximumOperands else {
            throw UsageError(message: "unexpected argument \"\(operands[maximumOperands])\"")
        }
        for option in options where option.isRequired && values[option.name] == nil {
            throw UsageError(message: "\(option.form) is required: \(option.help)")
        }
    }

    private static func advice(_ name: String, _ options: [Option]) -> String {
        options.isEmpty ? "this command takes none" : NearestWord.advice(for: "--\(name)", among: options.map { "--\($0.name)" })
    }

    private mutating func take(_ option: Option, inline: String?, rest: inout ArraySlice<String>) throws(UsageError) {
        guard option.value != nil else {
            guard inline == nil else { throw UsageError(message: "--\(option.name) takes no value") }
            values[option.name] = [""]
            return
        }
        guard let value = inline ?? rest.popFirst() else { throw UsageError(message: "--\(option.name) needs a value: \(option.help)") }
        guard option.mayRepeat || values[option.name] == nil else { throw UsageError(message: "--\(option.name) is given twice") }
        values[option.name, default: []].append(value)
    }

    subscript(_ name: String) -> String? { values[name]?.last }
    func all(_ name: String) -> [String] { values[name] ?? [] }
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The whole number given for an option.
    func number(_ name: String) throws(UsageError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let number = Int64(text) else { throw UsageError(message: "--\(name) takes a whole number, not \"\(text)\"") }
        return number
    }
}
