import Domain

extension JSON {
    /// Milliseconds since the epoch.
    package init(_ instant: Timestamp?) { self.init(instant?.milliseconds) }
    package init(_ id: (some Identifier)?) { self.init(id?.rawValue) }

    package init(_ money: Money?) {
        guard let money else {
            self = .null
            return
        }
        self = ["amount": .integer(money.amount), "currency": .string(money.currency)]
    }

    /// A word of Apple's or of ours.
    package init<Word: RawRepresentable>(_ word: Word?) where Word.RawValue == String { self.init(word?.rawValue) }
}
