import Foundation
import Testing

@testable import Server

struct ServingLockTests {
    private func folder() throws -> String {
        let path = NSTemporaryDirectory() + "serving-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test func aSecondServerIsRefusedUntilTheFirstIsGone() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var first: ServingLock? = try ServingLock(database: folder + "/desk.db")
        #expect(throws: DeskFault.self) { try ServingLock(database: folder + "/desk.db") }
        withExtendedLifetime(first) {}
        first = nil
        _ = try ServingLock(database: folder + "/desk.db")
    }

    @Test func aLinkToTheFileIsTheSameDatabase() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data().write(to: URL(filePath: folder + "/desk.db"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.db", withDestinationPath: folder + "/desk.db")
        let first = try ServingLock(database: folder + "/desk.db")
        #expect(throws: DeskFault.self) { try ServingLock(database: folder + "/link.db") }
        withExtendedLifetime(first) {}
    }

    @Test func aFolderThatIsMissingIsNamed() {
        let fault = #expect(throws: DeskFault.self) { try ServingLock(database: "/nowhere/desk.db") }
        #expect(fault?.description.contains("/nowhere/desk.db") == true)
    }
}
