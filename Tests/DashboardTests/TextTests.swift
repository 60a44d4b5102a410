import Domain
import Testing

@testable import Dashboard

/// Words that are the same in some language as in English: names, signs and loans.
private let sameAsEnglish: Set<Phrase> = [
    .act, .apple, .desk, .product, .kindWebhook, .sandbox, .unitHours, .unitMinutes, .unitSeconds, .type, .transactionID, .entryTransaction,
    .source,
    .production, .notification, .notifications, .entryNotification, .navigation, .sourceClient,
]

@Test(arguments: Language.allCases)
func everyTextIsThereInEveryLanguage(_ language: Language) {
    for phrase in Phrase.allCases {
        let text = language.text(phrase)
        #expect(!text.isEmpty, "\(phrase)")
        #expect(placeholders(text) == placeholders(Language.english.text(phrase)), "\(phrase): \(text)")
        if language != .english, !sameAsEnglish.contains(phrase) {
            #expect(text != Language.english.text(phrase), "\(phrase) is still English")
        }
    }
    for counted in Counted.allCases {
        let plural = language.text(counted)
        for text in [plural.one, plural.few, plural.many, plural.other].compactMap(\.self) { #expect(text.contains("{n}"), "\(text)") }
        #expect((plural.one != nil) == [.english, .french, .ukrainian].contains(language))
        #expect((plural.many != nil) == (language == .ukrainian))
    }
}

private func placeholders(_ text: String) -> Set<String> { Set(text.matches(of: /\{[a-z]+\}/).map { String($0.output) }) }

@Test(arguments: [
    (Language.english, [0, 1, 2], [PluralForm.other, .one, .other]), (.french, [0, 1, 2], [.one, .one, .other]),
    (
        .ukrainian, [0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 111, 112, 121],
        [.many, .one, .few, .few, .many, .many, .many, .many, .one, .few, .many, .many, .many, .one]
    ),
    (.vietnamese, [0, 1, 2], [.other, .other, .other]), (.chinese, [1, 5], [.other, .other]),
])
func countsTakeTheirForm(_ language: Language, _ counts: [Int], _ forms: [PluralForm]) {
    #expect(counts.map(language.form) == forms)
}

@Test func ukrainianCountsReadRight() {
    let texts = Texts(language: .ukrainian)
    #expect([1, 3, 5, 21, 104].map { texts(.requestsCount, $0) } == ["1 запит", "3 запити", "5 запитів", "21 запит", "104 запити"])
}

@Test(
    arguments: [
        (nil, Language.english), ("", .english), ("de", .english), ("uk", .ukrainian), ("vi-VN,en;q=0.8", .vietnamese),
        ("en;q=0.1, fr-CA;q=0.9", .french), ("zh-TW", .chinese), ("zh", .chinese), ("de, uk;q=0.5", .ukrainian), ("fr;q=0, en", .english),
        ("*", .english), (";;;,,q=", .english),
    ] as [(String?, Language)])
func theBrowsersWishIsHeard(_ header: String?, _ language: Language) {
    #expect(Language(accepting: header) == language)
}

@Test(arguments: [
    (Money(amount: 9_990, currency: "USD"), "9.99 USD", "9,99 USD"), (Money(amount: 1_500_000, currency: "JPY"), "1,500 JPY", "1.500 JPY"),
    (Money(amount: 898_500, currency: "JPY"), "898.5 JPY", "898,5 JPY"), (Money(amount: 4_792, currency: "GBP"), "4.792 GBP", "4,792 GBP"),
    (Money(amount: 1_234, currency: "KWD"), "1.234 KWD", "1,234 KWD"), (Money(amount: -500, currency: "EUR"), "−0.50 EUR", "−0,50 EUR"),
    (Money(amount: 25_000_000, currency: "VND"), "25,000 VND", "25.000 VND"), (Money(amount: 0, currency: "XYZ"), "0.00 XYZ", "0,00 XYZ"),
])
func amountsHaveTheirCurrencysPlaces(_ money: Money, _ english: String, _ vietnamese: String) {
    #expect(Texts(language: .english).money(money).replacing("\u{A0}", with: " ") == english)
    #expect(Texts(language: .vietnamese).money(money).replacing("\u{A0}", with: " ") == vietnamese)
}

@Test func numbersAreGroupedAsTheLanguageDoes() {
    #expect(Texts(language: .english).number(1_234_567) == "1,234,567")
    #expect(Texts(language: .french).number(1_234) == "1\u{202F}234")
    #expect(Texts(language: .ukrainian).number(1_234) == "1234")
    #expect(Texts(language: .ukrainian).number(12_345) == "12\u{A0}345")
    #expect(Texts(language: .english).number(.min) == "−9,223,372,036,854,775,808")
    #expect(Texts(language: .english).percentage(33_300) == "33.3%")
    #expect(Texts(language: .french).percentage(5) == "0,005\u{202F}%")
    #expect(Texts(language: .english).quantity(-2_500_000) == "−2.5")
}

@Test(arguments: [
    (Span.seconds(0), "0 s"), (.seconds(59), "59 s"), (.seconds(61), "1 min 1 s"), (.hours(3), "3 h"), (.minutes(719), "11 h 59 min"),
    (.hours(49), "2 d 1 h"), (.seconds(-5), "0 s"),
])
func spansHaveTwoUnits(_ span: Span, _ text: String) {
    #expect(Texts(language: .english).span(span).replacing("\u{A0}", with: " ") == text)
}

@Test func instantsAreInUTC() {
    let instant = Timestamp(milliseconds: 1_790_000_000_000)
    #expect(utcText(instant) == "2026-09-21 14:13")
    #expect(utcText(instant, seconds: true) == "2026-09-21 14:13:20")
    #expect(isoText(instant) == "2026-09-21T14:13:20Z")
    #expect(isoText(Timestamp(milliseconds: -1)) == "1969-12-31T23:59:59Z")
    _ = isoText(Timestamp(milliseconds: .max))
    _ = isoText(Timestamp(milliseconds: .min))
}
