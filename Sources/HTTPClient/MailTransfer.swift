import CLibcurl
import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// What a mail sets on its handle, in place of what an HTTP request does.
extension Transfer {
    /// How long one reply may take; also that to the farewell, which the mail's own limit does not end.
    private static let farewellSeconds = 15

    /// One connection a mail: what a server was told of one sender does not hang over the next.
    func configure(_ mail: Mail) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_FORBID_REUSE, 1)
        set(CURLOPT_URL, mail.server.url)
        set(CURLOPT_TIMEOUT_MS, mail.timeout.wholeMilliseconds)
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Transfer.farewellSeconds)
        if let user = mail.server.user {
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, mail.server.password ?? "")
        }
        configure(mail.security)
        set(CURLOPT_MAIL_FROM, "<\(mail.sender)>")
        append("<\(mail.recipient)>")
        unsafe check(shim_curl_set_pointer(easy, CURLOPT_MAIL_RCPT, list))
        set(CURLOPT_UPLOAD, 1)
        unsafe check(
            shim_curl_set_read(easy, { bytes, size, count, context in unsafe Transfer.read(context, bytes, size * count) }, context))
        unsafe check(shim_curl_set_upload_size(easy, mail.message.count))
    }

    private func configure(_ security: Mail.Security) {
        unsafe check(shim_curl_use_ssl(easy, security == .required ? 1 : 0))
        guard security == .privateNetwork else { return }
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
    }

    /// What the server said last decides, where it refused: 4yz for now, 5yz for good.
    ///
    /// - Source: RFC 5321, 4.2.1.
    func mailOutcome(_ code: CURLcode) -> Result<HTTPClientResponse, HTTPClientError>? {
        guard mail != nil else { return nil }
        let reply = unsafe shim_curl_status(easy)
        if code == CURLE_OK { return .success(HTTPClientResponse(status: reply)) }
        guard (400..<600).contains(reply) else { return nil }
        return .success(HTTPClientResponse(status: reply, body: Array(reason(code).utf8)))
    }
}

extension HTTPClient {
    /// Hands a mail to its server and waits for the server's last word. Cannot be cancelled; its time limit ends it.
    ///
    /// - Returns: The last reply's code (2yz: taken; 4yz: refused for now; 5yz: refused for good) and, of a refusal, its kind in words.
    /// - Throws: ``HTTPClientError``; its `isInDoubt` says whether the server may have taken the mail. Holds no user and no password.
    package func send(_ mail: Mail) async throws(HTTPClientError) -> (reply: Int, words: String) {
        try mail.checkAddresses()
        let options = options
        let result = await withCheckedContinuation { completion in
            // libcurl blocks at the end of a mail until the server has spoken: on a thread of its own that holds up nothing else.
            DispatchQueue(label: "refund-desk.mail").async { completion.resume(returning: mail.perform(options)) }
        }
        let response = try result.get()
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }
}

extension Mail {
    fileprivate func perform(_ options: TransferOptions) -> Result<HTTPClientResponse, HTTPClientError> {
        TransferLoop.blockPipeSignal()
        do throws(HTTPClientError) {
            let transfer = try Transfer(.mail(self), to: RequestTarget(host: server.host), tag: 0, options: options)
            return transfer.outcome(unsafe curl_easy_perform(transfer.easy))
        } catch { return .failure(error) }
    }
}
