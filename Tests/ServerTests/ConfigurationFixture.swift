@testable import Server

/// A configuration without mistakes, of which single values can be replaced or, with nil, left out. A key takes one line.
struct ConfigurationFixture {
    private var desk: [(String, String?)] = [("database", "'sqlite:desk.db'")]
    private var app: [(String, String?)] = [
        ("id", "'acme'"), ("bundleId", "'com.example.acme'"), ("appAppleId", "1234567890"),
        ("serverAPI", "{ issuerId: '57246542-96fe-1a63-e053-0824d011072a', keyId: 'KEY1', privateKeyFile: 'AuthKey.p8' }"),
        ("consent", "{ mode: 'perCustomer' }"), ("products", "{ '*': { sampleContentProvided: false } }"),
    ]

    init(desk: [String: String?] = [:], app: [String: String?] = [:]) {
        Self.replace(&self.desk, with: desk)
        Self.replace(&self.app, with: app)
    }

    private static func replace(_ keys: inout [(String, String?)], with others: [String: String?]) {
        keys.removeAll { others.keys.contains($0.0) }
        keys += others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func lines(_ keys: [(String, String?)]) -> String {
        keys.compactMap { key, value in value.map { "\(key): \($0),\n" } }.joined()
    }

    var text: String { "{\n\(lines(desk))apps: [{\n\(lines(app))}],\n}\n" }

    /// The line of a key of the desk or of the app, counted from 1.
    func line(of key: String) -> Int? {
        text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.hasPrefix(key) }.map { $0 + 1 }
    }

    func reading(_ variables: [String: String] = [:]) -> ConfigurationReading {
        ConfigurationReading(of: Array(text.utf8), folder: "/etc/desk", variables: variables)
    }
}
