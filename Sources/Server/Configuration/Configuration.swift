import Domain
import HTTPServer

/// Everything the owner decides about a desk, as read from its JSON5 file. Paths are absolute, variables filled in.
package struct Configuration: Sendable {
    package var listen: ListenAddress
    /// Without a slash at the end.
    package var publicURL: String
    package var database: DatabaseLocation
    /// Whether this instance talks to a simulator: only then may roots and API hosts differ from Apple's.
    package var simulated: Bool
    /// Whether webhooks, forwards and alerts may go to loopback and private addresses.
    package var allowPrivateTargets: Bool
    package var tls: TLSFiles?
    /// Those that say by `X-Forwarded-For` whom they speak for.
    package var trustedProxies: TrustedProxies
    package var apps: [AppConfiguration]
}

package enum DatabaseLocation: Hashable, Sendable {
    case sqlite(path: String)
    /// The whole `postgres://` URL; it may hold a password.
    case postgres(url: String)
}

package struct TLSFiles: Hashable, Sendable {
    package var certificateFile: String
    package var privateKeyFile: String
}

/// Where the server listens: `host:port`; IPv6 addresses stand in brackets.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    /// 0 lets the system choose a free one.
    package var port: UInt16

    package static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`; nil where it is neither.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        self.init(host: String(host), port: port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
