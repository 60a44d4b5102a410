import CLibcurl

/// A server that takes mail over SMTP, as a URL `smtp://user:password@host:587` or `smtps://…` names it.
package struct MailServer: Sendable, Hashable {
    /// The server's name or address.
    package let host: String
    /// The URL without user and password.
    let url: String
    let user: String?
    let password: String?
    /// `smtps`: TLS from the first byte.
    let isImplicitTLS: Bool

    /// - Throws: ``HTTPClientError/Code/badURL``; the message does not repeat the URL.
    package init(url: String) throws(HTTPClientError) {
        guard let parts = URLParts(url), let scheme = parts[CURLUPART_SCHEME]?.lowercased(), scheme == "smtp" || scheme == "smtps",
            let host = parts[CURLUPART_HOST], !host.isEmpty
        else { throw HTTPClientError(.badURL, "The mail server's URL is not of the form smtp://user:password@host:587.") }
        self.host = host
        isImplicitTLS = scheme == "smtps"
        user = parts.decoded(CURLUPART_USER)
        password = parts.decoded(CURLUPART_PASSWORD)
        // libcurl decodes no control characters.
        let isClean = (user != nil) == (parts[CURLUPART_USER] != nil) && (password != nil) == (parts[CURLUPART_PASSWORD] != nil)
        guard isClean, let url = parts.withoutCredentials() else {
            throw HTTPClientError(.badURL, "The mail server's user or password holds a control character.")
        }
        self.url = url
    }

    /// Whether the name itself says that the server is on this machine or in a private network.
    var isPrivateByName: Bool {
        let name = host.lowercased().trimmingBrackets
        if let address = PeerAddress(name) { return !address.isPublic }
        let endings = [".localhost", ".local", ".internal", ".lan", ".home.arpa"]
        return !name.contains(".") || endings.contains(where: name.hasSuffix)
    }
}

extension String {
    /// An IPv6 address as sockets take it.
    fileprivate var trimmingBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}

/// A URL taken apart by libcurl, as a transfer takes it.
@safe private final class URLParts {
    private let handle: OpaquePointer

    /// nil where the text is no URL, or C would stop reading at a zero byte.
    init?(_ text: String) {
        guard !text.utf8.contains(0), let handle = unsafe curl_url() else { return nil }
        unsafe self.handle = handle
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else { return nil }
    }

    deinit { unsafe curl_url_cleanup(handle) }

    subscript(_ part: CURLUPart) -> String? { text(part, 0) }

    func decoded(_ part: CURLUPart) -> String? { text(part, UInt32(CURLU_URLDECODE)) }

    func withoutCredentials() -> String? {
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS] {
            guard unsafe curl_url_set(handle, part, nil, 0) == CURLUE_OK else { return nil }
        }
        return text(CURLUPART_URL, 0)
    }

    private func text(_ part: CURLUPart, _ flags: UInt32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
