/// One whole request, read to its last byte.
package struct HTTPRequest: Sendable {
    /// As sent; HTTP's methods are upper case.
    package var method: String
    /// The target as sent: still percent-encoded, without the query.
    package var path: String
    /// The path's segments, percent-decoded, empty ones dropped. A `/` that was escaped stays inside its segment.
    package var pathSegments: [String]
    /// The query's pairs in order, decoded; `+` is a space. A name without `=` has an empty value.
    package var query: [(name: String, value: String)]
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The peer's numeric address, without its port; IPv4 inside IPv6 is written as IPv4.
    package var remoteAddress: String

    /// - Parameter pathSegments: `nil` takes them from `path`; none when that holds a bad escape.
    package init(
        method: String = "GET", path: String = "/", pathSegments: [String]? = nil,
        query: [(name: String, value: String)] = [], headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        remoteAddress: String = "127.0.0.1"
    ) {
        self.method = method
        self.path = path
        self.pathSegments = pathSegments ?? RequestTarget(path)?.segments ?? []
        self.query = query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// A GET of a target as it stands in a request line; without segments where it is none.
    package init(target: String) {
        let parts = RequestTarget(target)
        self.init(path: parts?.path ?? "/", pathSegments: parts?.segments ?? [], query: parts?.query ?? [])
    }

    /// The first value of this name in the query.
    package func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The first value of this header; the name's case does not matter.
    package func header(_ name: String) -> String? {
        headers.first { isSameHeader($0.name, name) }?.value
    }
}

/// Whether two header names are the same, ASCII case aside.
func isSameHeader(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}
