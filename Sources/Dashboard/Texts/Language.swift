/// A language of the dashboard.
enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case french = "fr"
    case ukrainian = "uk"
    case vietnamese = "vi"
    case chinese = "zh-Hant"

    /// As its speakers call it.
    var name: String {
        switch self {
        case .english: "English"
        case .french: "Français"
        case .ukrainian: "Українська"
        case .vietnamese: "Tiếng Việt"
        case .chinese: "繁體中文"
        }
    }

    /// The first that both sides know, by what the browser prefers; English where there is none.
    ///
    /// - Parameter header: `Accept-Language`, as `uk,en;q=0.8`. Any Chinese gets the Chinese there is.
    /// - Source: RFC 9110, section 12.5.4.
    init(accepting header: String?) {
        let wishes = (header ?? "").prefix(1_000).split(separator: ",").enumerated().map { index, part in
            let sides = part.split(separator: ";").map { $0.filter { $0 != " " } }
            let quality = sides.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag: sides.first?.lowercased() ?? "", quality: quality, index: index)
        }
        let ranked = wishes.filter { $0.quality > 0 }.sorted { ($1.quality, $0.index) < ($0.quality, $1.index) }
        self = ranked.lazy.compactMap { Language(tag: $0.tag) }.first ?? .english
    }

    private init?(tag: String) {
        let primary = tag.split(separator: "-").first.map(String.init)
        guard let found = Language.allCases.first(where: { $0.primary == primary }) else { return nil }
        self = found
    }

    private var primary: String { rawValue.split(separator: "-").first.map(String.init) ?? rawValue }
}
