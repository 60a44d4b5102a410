import CLibpq

/// Where a database is and how to reach it: a `postgres://` URL as libpq reads it, and the desk's own parameters in its query.
package struct Target: Sendable {
    /// How the desk uses its connections.
    package enum Pooling: String, Sendable {
        /// A connection is a session of the server's.
        case session
        /// Something like PgBouncer hands out another session for each transaction: statements have no names and nobody can listen.
        case transaction
    }
    let connectionInfo: String
    let password: String?
    /// Host, port and database, for messages.
    package let name: String
    package private(set) var pooling = Pooling.session
    /// How many connections write and read; nil where the URL does not say.
    package private(set) var writers: Int?
    package private(set) var readers: Int?
    /// The schema that names without one are looked for in; nil is the role's own.
    package var schema: String?

    /// - Parameter url: `postgres://user:password@host:port/database?sslmode=verify-full&…`. Its parameters `pooling`, `writers` and
    ///   `readers` are the desk's; all others are libpq's.
    /// - Throws: `refused` where it cannot be understood.
    package init(url: String) throws(PostgresError) {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var foreign: [Substring] = []
        var own: [(name: Substring, value: Substring)] = []
        for parameter in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, ["pooling", "writers", "readers"].contains(pair[0]) {
                own.append((pair[0], pair[1]))
            } else {
                foreign.append(parameter)
            }
        }
        connectionInfo = parts[0] + (foreign.isEmpty ? "" : "?" + foreign.joined(separator: "&"))
        let options = try Target.options(connectionInfo)
        password = options["password"]
        name = "\(options["host"] ?? "localhost"):\(options["port"] ?? "5432")/\(options["dbname"] ?? options["user"] ?? "")"
        for (name, value) in own { try take(name, value) }
    }

    private mutating func take(_ name: Substring, _ value: Substring) throws(PostgresError) {
        if name == "pooling" {
            guard let pooling = Pooling(rawValue: String(value)) else { throw .badURL("pooling is session or transaction") }
            self.pooling = pooling
            return
        }
        guard let count = Int(value), (1...64).contains(count) else { throw .badURL("\(name) is a number from 1 to 64") }
        if name == "writers" { writers = count } else { readers = count }
    }

    /// libpq's reading of the URL. Its own complaint may quote the password and is not passed on.
    private static func options(_ url: String) throws(PostgresError) -> [String: String] {
        guard let parsed = unsafe PQconninfoParse(url, nil) else {
            throw .badURL(
                "libpq cannot read it: percent-encode what is special in user and password, and check the names of its parameters")
        }
        defer { unsafe PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = unsafe parsed
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val { unsafe options[String(cString: keyword)] = unsafe String(cString: value) }
            unsafe option += 1
        }
        return options
    }

    /// libpq's words without the password, should it stand in them.
    func redacted(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
        guard let password, !password.isEmpty else { return lines }
        return lines.split(separator: password, omittingEmptySubsequences: false).joined(separator: "***")
    }
}

extension PostgresError {
    fileprivate static func badURL(_ why: String) -> PostgresError { PostgresError(.refused, "postgres.url", "the URL: \(why)") }
}
