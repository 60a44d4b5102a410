/// Which form a count takes.
///
/// - Source: Unicode CLDR, plural rules for cardinal whole numbers.
enum PluralForm: Sendable { case one, few, many, other }

extension Language {
    func form(of count: Int) -> PluralForm {
        let count = abs(count)
        switch self {
        case .english: return count == 1 ? .one : .other
        case .french: return count < 2 ? .one : .other
        case .ukrainian:
            if count % 10 == 1, count % 100 != 11 { return .one }
            return (2...4).contains(count % 10) && !(12...14).contains(count % 100) ? .few : .many
        case .vietnamese, .chinese: return .other
        }
    }
}

/// The forms of one counted text, `{n}` for the number. A language without a form uses `other`.
struct Plural: Sendable {
    var one: String?
    var few: String?
    var many: String?
    var other: String

    static func same(_ text: String) -> Plural { Plural(other: text) }
    static func two(_ one: String, _ other: String) -> Plural { Plural(one: one, other: other) }
    static func three(_ one: String, _ few: String, _ many: String) -> Plural { Plural(one: one, few: few, many: many, other: few) }

    subscript(_ form: PluralForm) -> String {
        switch form {
        case .one: one ?? other
        case .few: few ?? other
        case .many: many ?? other
        case .other: other
        }
    }
}
