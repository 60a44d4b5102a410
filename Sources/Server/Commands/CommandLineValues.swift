import Domain
import Foundation

/// A day (`2026-11-01`, its beginning in UTC) or an instant in milliseconds, as an option's value.
struct CommandLineDate {
    let instant: Timestamp

    /// - Parameter option: Named in the error.
    init(_ text: String, option: String) throws(CommandFault) {
        if let milliseconds = Int64(text), text.count > 8 {
            instant = Timestamp(milliseconds: milliseconds)
        } else if let day = Timestamp(utc: text + "T00:00Z") {
            instant = day
        } else {
            throw CommandFault("--\(option) takes a day such as 2026-11-01 (UTC) or milliseconds since 1970, not \"\(text)\"")
        }
    }
}

/// The value of `--environment`.
struct CommandLineEnvironment {
    private let named: Environment?

    init(_ text: String?) throws(CommandFault) {
        guard let text else {
            named = nil
            return
        }
        guard let environment = Environment(rawValue: text) else {
            throw CommandFault("--environment is Production or Sandbox, not \"\(text)\"")
        }
        named = environment
    }

    /// Production where none was named.
    var one: Environment { named ?? .production }
    /// Both where none was named.
    var all: [Environment] { named.map { [$0] } ?? Environment.allCases }
}

extension Configuration {
    /// - Throws: A fault that lists the apps there are.
    func app(named id: String) throws(CommandFault) -> AppConfiguration {
        guard let app = apps.first(where: { $0.id == AppID(id) }) else {
            throw CommandFault("--app: no app \"\(id)\" is configured; there are \(apps.map(\.id.rawValue).joined(separator: ", "))")
        }
        return app
    }
}
