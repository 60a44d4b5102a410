import Foundation

extension ConfigurationReading {
    /// Reads a configuration file and looks at the files it names: the whole check.
    ///
    /// - Parameter variables: What `${NAME}` stands for: the process's environment.
    package init(file path: String, variables: [String: String]) {
        let url = URL(filePath: path).absoluteURL
        guard let text = try? Data(contentsOf: url) else {
            let mistake = ConfigurationMistake(
                path: "", line: nil, message: "\(path) cannot be read: does it exist, and may this user read it?")
            self.init(configuration: nil, mistakes: [mistake], warnings: [], files: [])
            return
        }
        self.init(of: Array(text), folder: url.deletingLastPathComponent().path(percentEncoded: false), variables: variables)
        for file in files {
            if let message = file.mistake() { mistakes.append(ConfigurationMistake(path: file.key, line: file.line, message: message)) }
            if let message = file.warning() { warnings.append(ConfigurationMistake(path: file.key, line: file.line, message: message)) }
        }
        if !mistakes.isEmpty { configuration = nil }
    }
}

extension ReferencedFile {
    /// Why the file cannot be used; nil where it can.
    func mistake() -> String? {
        var isFolder: ObjCBool = false
        let manager = FileManager.default
        guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { return "\(path) does not exist" }
        switch role {
        case .databaseFolder:
            if !isFolder.boolValue { return "\(path) is no folder" }
            if !manager.isWritableFile(atPath: path) { return "nothing can be written into \(path): give this user the right" }
        case .privateKey, .certificate:
            if isFolder.boolValue { return "\(path) is a folder" }
            if !manager.isReadableFile(atPath: path) { return "\(path) cannot be read: give this user the right" }
        }
        return nil
    }

    /// What is careless about the file; nil where nothing is.
    func warning() -> String? {
        guard role == .privateKey, let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue, permissions & 0o077 != 0
        else { return nil }
        return "others on this machine may open the private key \(path): `chmod 600` it"
    }
}
