import Foundation
import Testing

@testable import Server

/// A folder of its own with a configuration, removed at the end.
private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try ConfigurationFixture().text.write(to: folder.appending(path: "desk.json5"), atomically: true, encoding: .utf8)
    try body(folder)
}

private func write(_ name: String, in folder: URL, permissions: Int) throws {
    let url = folder.appending(path: name)
    try Data("key".utf8).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
}

private func reading(_ folder: URL) -> ConfigurationReading {
    ConfigurationReading(file: folder.appending(path: "desk.json5").path, variables: [:])
}

@Test func pathsStartAtTheConfigurationsFolder() throws {
    try withFolder { folder in
        try write("AuthKey.p8", in: folder, permissions: 0o600)
        let reading = reading(folder)
        #expect(reading.mistakes.isEmpty && reading.warnings.isEmpty, "\(reading.mistakes) \(reading.warnings)")
        let key = try #require(reading.configuration?.apps.first?.serverAPI.privateKeyFile)
        #expect(try Data(contentsOf: URL(filePath: key)) == Data("key".utf8))
    }
}

@Test func aMissingKeyFileIsAMistake() throws {
    try withFolder { folder in
        let reading = reading(folder)
        #expect(reading.configuration == nil)
        #expect(
            reading.mistakes.map(\.path) == ["apps[0].serverAPI.privateKeyFile"] && reading.mistakes[0].line == 7, "\(reading.mistakes)")
        #expect(reading.mistakes.first?.message.contains("does not exist") == true)
    }
}

@Test func aFolderIsNoKeyFile() throws {
    try withFolder { folder in
        try FileManager.default.createDirectory(at: folder.appending(path: "AuthKey.p8"), withIntermediateDirectories: true)
        #expect(reading(folder).mistakes.first?.message.contains("is a folder") == true)
    }
}

@Test(arguments: [0o644, 0o660, 0o602])
func aKeyFileOpenToOthersIsWarnedOf(_ permissions: Int) throws {
    try withFolder { folder in
        try write("AuthKey.p8", in: folder, permissions: permissions)
        let reading = reading(folder)
        #expect(reading.configuration != nil && reading.warnings.map(\.path) == ["apps[0].serverAPI.privateKeyFile"])
        #expect(reading.warnings.first?.message.contains("chmod 600") == true)
    }
}

@Test func aDatabaseNeedsAFolder() throws {
    try withFolder { folder in
        try write("AuthKey.p8", in: folder, permissions: 0o600)
        let text = ConfigurationFixture(desk: ["database": "'sqlite:data/desk.db'"]).text
        try text.write(to: folder.appending(path: "desk.json5"), atomically: true, encoding: .utf8)
        #expect(reading(folder).mistakes.map(\.path) == ["database"])
        try FileManager.default.createDirectory(at: folder.appending(path: "data"), withIntermediateDirectories: true)
        #expect(reading(folder).mistakes.isEmpty)
    }
}

@Test func aConfigurationThatIsNotThere() {
    let reading = ConfigurationReading(file: "/nowhere/desk.json5", variables: [:])
    #expect(
        reading.configuration == nil
            && reading.mistakes.first?.description == "/nowhere/desk.json5 cannot be read: does it exist, and may this user read it?")
}
