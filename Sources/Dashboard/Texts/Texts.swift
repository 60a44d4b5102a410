/// All texts in one language.
struct Texts: Sendable {
    let language: Language

    subscript(_ phrase: Phrase) -> String { language.text(phrase) }

    /// - Parameter values: What stands in the place of `{name}`.
    func callAsFunction(_ phrase: Phrase, _ values: [String: String]) -> String { filled(language.text(phrase), values) }

    /// - Parameter values: Beside `{n}`, the number itself.
    func callAsFunction(_ counted: Counted, _ count: Int, _ values: [String: String] = [:]) -> String {
        let text = language.text(counted)[language.form(of: count)]
        return filled(text, values.merging(["n": number(Int64(count))]) { own, _ in own })
    }

    private func filled(_ text: String, _ values: [String: String]) -> String {
        var out = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            out += rest[..<open]
            out += values[String(rest[rest.index(after: open)..<close])] ?? ""
            rest = rest[rest.index(after: close)...]
        }
        return out + rest
    }
}

extension Language {
    func text(_ phrase: Phrase) -> String {
        switch self {
        case .english: englishText(phrase)
        case .french: frenchText(phrase)
        case .ukrainian: ukrainianText(phrase)
        case .vietnamese: vietnameseText(phrase)
        case .chinese: chineseText(phrase)
        }
    }

    func text(_ counted: Counted) -> Plural {
        switch self {
        case .english: englishText(counted)
        case .french: frenchText(counted)
        case .ukrainian: ukrainianText(counted)
        case .vietnamese: vietnameseText(counted)
        case .chinese: chineseText(counted)
        }
    }
}
