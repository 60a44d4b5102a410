import CLibcurl

/// Where a request goes, as far as messages may tell.
struct RequestTarget: Equatable {
    /// The host's name or address, without user, port, path and query.
    let host: String

    init(host: String) { self.host = host }

    /// Reads the URL as the transfer will.
    ///
    /// - Throws: ``HTTPClientError/Code/badURL``; the message does not repeat the URL.
    init(url: String) throws(HTTPClientError) {
        // C would stop reading at a zero byte.
        guard !url.utf8.contains(0), let parsed = unsafe curl_url() else { throw HTTPClientError(.badURL, "The URL contains a zero byte.") }
        defer { unsafe curl_url_cleanup(parsed) }
        let code = unsafe curl_url_set(parsed, CURLUPART_URL, url, 0)
        guard code == CURLUE_OK else {
            let reason = unsafe curl_url_strerror(code).map { unsafe String(cString: $0) } ?? "malformed"
            throw HTTPClientError(.badURL, "The URL cannot be used: \(reason).")
        }
        guard let scheme = unsafe Self.part(CURLUPART_SCHEME, of: parsed)?.lowercased(), scheme == "http" || scheme == "https" else {
            throw HTTPClientError(.badURL, "The URL must begin with https:// or http://.")
        }
        guard let host = unsafe Self.part(CURLUPART_HOST, of: parsed), !host.isEmpty else {
            throw HTTPClientError(.badURL, "The URL names no host.")
        }
        self.host = host
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(url, part, &text, 0) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
