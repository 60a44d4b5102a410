extension HTTPRequest {
    /// What in the head could mean one thing to a proxy and another to this server: then a client could hide a second request in the body of the
    /// first. Nil where there is nothing.
    ///
    /// - Source: RFC 9112, sections 3.2, 5.1 and 6.3; RFC 9110, sections 5.5 and 5.6.2.
    func ambiguity(isHTTP11: Bool) -> StaticString? {
        guard headers.allSatisfy({ isToken($0.name) && isText($0.value) }) else {
            return "A header's name or value holds a character that none may. Send names and values without control characters."
        }
        let hosts = count(of: "Host")
        guard hosts == 1 || hosts == 0 && !isHTTP11 else { return "The header Host has to stand there once. Send it once." }
        guard let coding = header("Transfer-Encoding") else {
            return count(of: "Content-Length") > 1 ? HTTPRequest.ambiguousLength : nil
        }
        let isClear = isHTTP11 && isSameHeader(coding, "chunked") && count(of: "Transfer-Encoding") == 1 && header("Content-Length") == nil
        return isClear ? nil : HTTPRequest.ambiguousLength
    }

    private static let ambiguousLength: StaticString = "The body's length is ambiguous. Send one Content-Length, or chunks, and not both."

    private func count(of name: String) -> Int { headers.count { isSameHeader($0.name, name) } }
}

private func isToken(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !separators.contains($0) }
}

private let separators = Set("\"(),/:;<=>?@[\\]{}".utf8)

private func isText(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
}
