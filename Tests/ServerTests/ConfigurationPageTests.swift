import Domain
import Foundation
import Testing

@testable import Server

/// docs/configuration.md names exactly the keys that are read, section by section, and docs/policies.md the conditions.
struct ConfigurationPageTests {
    private static let sections: [(heading: String, keys: [String])] = [
        ("## Top level", words(DeskKey.self)), ("## `tls`", words(TLSKey.self)), ("## `apps[]`", words(AppKey.self)),
        ("## `serverAPI`", words(ServerAPIKey.self)), ("## `consent`", words(ConsentKey.self)), ("## `products`", words(ProductKey.self)),
        ("### `costs`", words(CostKey.self)), ("### `outages[]`", words(OutageKey.self)), ("## `economics`", words(EconomicsKey.self)),
        ("## `retention`", words(RetentionKey.self)), ("## `policy`", words(PolicyFileKey.self)), ("### `rules[]`", words(RuleKey.self)),
        ("### `then`", words(ThenKey.self)), ("## `alerts[]`", words(AlertKey.self)), ("## `webhooks[]`", words(WebhookKey.self)),
        ("## `forward[]`", words(ForwardKey.self)), ("## `repeatRefunder`", words(RepeatRefunderKey.self)),
        ("## `salesReports`", words(SalesReportsKey.self)),
    ]

    @Test func everySectionNamesItsKeysAndNoOthers() throws {
        let page = try text("docs/configuration.md")
        for (heading, keys) in Self.sections {
            #expect(try keysInTable(under: heading, of: page).sorted() == keys.sorted(), "\(heading)")
        }
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("##") }.map(String.init)
        #expect(headings == Self.sections.map(\.heading))
    }

    @Test func theCookbookNamesEveryCondition() throws {
        let named = try keysInTable(under: "## Conditions", of: try text("docs/policies.md"))
        #expect(named.sorted() == (PolicyKey.Name.allCases.map(\.rawValue) + ["usage.METER"]).sorted())
    }

    private static func words<Key: ConfigurationKey>(_: Key.Type) -> [String] { Key.allCases.map(\.rawValue) }

    private func text(_ page: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    /// The words in backquotes in the first column of the first table under a heading.
    private func keysInTable(under heading: String, of page: String) throws -> [String] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading }, "there is no \(heading)")
        let table = lines[(start + 1)...].drop { !$0.hasPrefix("|") && !$0.hasPrefix("#") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).flatMap { row in
            let cell = row.split(separator: "|", omittingEmptySubsequences: false)[1]
            return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
                String($0.element)
            }
        }
    }
}
