import Foundation
import Testing

@testable import JSON5

/// The folder of shared documents and vectors: named by the environment, else a sibling of the checkout.
private let shared: URL? = {
    let sibling = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared")
    let folder = ProcessInfo.processInfo.environment["REFUND_DESK_SHARED"].map { URL(filePath: $0) } ?? sibling
    return FileManager.default.fileExists(atPath: folder.appending(path: "interface.md").path) ? folder : nil
}()

@Test(.enabled(if: shared != nil, "the shared folder is missing: set REFUND_DESK_SHARED"))
func everyExampleOfTheInterfaceIsRead() throws {
    let document = try String(contentsOf: #require(shared).appending(path: "interface.md"), encoding: .utf8)
    let blocks = document.components(separatedBy: "```json5\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    let configuration = try parse(#require(blocks.first)).get()
    guard case .object(let members) = configuration.value else {
        Issue.record("the configuration is no object")
        return
    }
    #expect(members.map(\.key) == ["listen", "publicURL", "database", "simulated", "tls", "apps"])
    let rules = try #require(blocks.dropFirst().first).split(separator: "\n")
    #expect(rules.count >= 4)
    for rule in rules { #expect(throws: Never.self, "\(rule)") { try parse(String(rule)).get() } }
}
