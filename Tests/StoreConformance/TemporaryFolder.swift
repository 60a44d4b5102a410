import Foundation

/// A folder that vanishes with its last use.
package final class TemporaryFolder: Sendable {
    package let path = FileManager.default.temporaryDirectory.appendingPathComponent("store-tests-\(UUID())").path

    package init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    package func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }
}

extension TemporaryFolder {
    package func size(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }
}
