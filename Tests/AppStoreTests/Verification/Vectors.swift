import Foundation
import Testing

/// Test data made by others. It stands beside the checkout and is not part of it.
enum Vectors {
    /// The folder named by `REFUND_DESK_SHARED`, else `shared` beside the checkout.
    static let folder: URL? = {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let named = ProcessInfo.processInfo.environment["REFUND_DESK_SHARED"].map { URL(filePath: $0) }
        let folder = (named ?? checkout.appending(path: "../shared")).appending(path: "vectors").standardizedFileURL
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()
    static let areThere = ConditionTrait.enabled("needs the folder shared/vectors, see REFUND_DESK_SHARED") { folder != nil }

    static func bytes(_ path: String) throws -> [UInt8] {
        let folder = try #require(folder)
        return try [UInt8](Data(contentsOf: folder.appending(path: path)))
    }
    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
