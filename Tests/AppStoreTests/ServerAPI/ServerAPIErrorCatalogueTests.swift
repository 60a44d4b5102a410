import Foundation
import Testing

@testable import AppStore

struct ServerAPIErrorCatalogueTests {
    @Test func entriesAreWhole() {
        let codes = ServerAPIErrorCode.all.compactMap(\.code)
        #expect(codes.count == ServerAPIErrorCode.all.count)
        #expect(Set(codes).count == codes.count)
        for entry in ServerAPIErrorCode.all {
            #expect([400, 403, 404, 429, 500].contains((entry.code ?? 0) / 10_000))
            #expect(!entry.meaning.isEmpty && !entry.remedy.isEmpty)
            #expect(entry.code.flatMap { ServerAPIErrorCode[$0] } == entry)
        }
    }

    @Test func whatAppleNamesRetryable() {
        let retryable = ServerAPIErrorCode.all.filter(\.isRetryable).compactMap(\.code)
        #expect(retryable == [4_040_002, 4_040_004, 4_040_006, 5_000_001])
    }

    @Test(.enabled(if: SharedFiles.isPresent, "the shared folder is missing: set REFUND_DESK_SHARED"))
    func everyCodeOfTheReferenceIsKnown() throws {
        let text = try String(contentsOf: SharedFiles.folder.appending(path: "reference/server-api.md"), encoding: .utf8)
        let codes = text.matches(of: /\b(400|403|404|429|500)0\d{3}\b/).compactMap { Int64($0.output.0) }
        #expect(Set(codes).count > 60)
        for code in Set(codes) { #expect(ServerAPIErrorCode[code] != nil, "\(code)") }
    }

    @Test(
        .enabled(if: SharedFiles.isPresent, "the shared folder is missing: set REFUND_DESK_SHARED"),
        arguments: [
            ("apiException", 500, SendOutcome.Kind.serverFault), ("apiTooManyRequestsException", 429, .rateLimited),
            ("apiUnknownError", 400, .refused), ("transactionIdNotFoundError", 404, .notFound),
            ("invalidTransactionIdError", 400, .refused),
            ("familyTransactionNotSupportedError", 400, .refused), ("appTransactionDoesNotExistError", 404, .refused),
        ])
    func appleErrorModels(_ name: String, _ status: Int, _ kind: SendOutcome.Kind) async throws {
        let body = try Data(contentsOf: SharedFiles.folder.appending(path: "vectors/apple/models/\(name).json"))
        let outcome = await ScriptedAppStore([.response(status, [:], Array(body))]).send()
        #expect(outcome.kind == kind)
        #expect(outcome.errorCode != nil)
    }
}

/// Reference and vectors beside the checkout.
enum SharedFiles {
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["REFUND_DESK_SHARED"] { return URL(filePath: path) }
        let package = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        return URL(filePath: package).deletingLastPathComponent().appending(path: "shared")
    }()
    static var isPresent: Bool { FileManager.default.fileExists(atPath: folder.appending(path: "reference").path) }
}
