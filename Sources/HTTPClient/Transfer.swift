import CLibcurl

/// What one transfer carries.
enum TransferWork: Sendable {
    case request(HTTPClientRequest)
    case mail(Mail)

    var timeout: Duration {
        switch self {
        case .request(let request): request.timeout
        case .mail(let mail): mail.timeout
        }
    }
    var allowsPrivateTargets: Bool {
        switch self {
        case .request(let request): request.allowsPrivateTargets
        case .mail(let mail): mail.allowsPrivateTargets
        }
    }
    /// In bytes; a mail's server sends no body.
    var maximumResponseSize: Int {
        switch self {
        case .request(let request): request.maximumResponseSize
        case .mail: 0
        }
    }
    /// Whether a repeat is harmless.
    var isSafe: Bool {
        switch self {
        case .request(let request): request.isSafe
        case .mail: false
        }
    }
}

/// One request or mail on its way, with the libcurl handle that carries it. Lives on one thread: the transfer loop's, or a mail's own.
@safe final class Transfer {
    let work: TransferWork
    let target: RequestTarget
    let deadline: ContinuousClock.Instant

    /// Whether a connection stood and libcurl was about to write the request: from then on the server may have it.
    var hasBegun = false
    var isBlocked = false
    var isTooLarge = false
    /// How much of a mail was handed over.
    var readCount = 0
    var body: [UInt8] = []

    let easy: UnsafeMutableRawPointer
    /// The headers of a request, the recipient of a mail.
    private(set) var list: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutableBufferPointer<CChar>
    private var setupCode = CURLE_OK

    /// - Throws: ``HTTPClientError/Code/notSent`` where libcurl lacks memory or an option.
    init(_ work: TransferWork, to target: RequestTarget, tag: UInt, options: TransferOptions) throws(HTTPClientError) {
        guard let easy = unsafe curl_easy_init() else { throw HTTPClientError(.notSent, "libcurl has no memory for another transfer.") }
        self.work = work
        self.target = target
        self.deadline = .now + work.timeout
        unsafe self.easy = easy
        unsafe self.errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0)
        unsafe check(shim_curl_set_tag(easy, tag))
        configure(options)
        switch work {
        case .request(let request): configure(request)
        case .mail(let mail): configure(mail)
        }
        configureCallbacks()
        guard setupCode == CURLE_OK else { throw HTTPClientError(.notSent, "libcurl refused an option: \(Self.text(setupCode)).") }
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(list)
        unsafe errorText.deallocate()
    }

    /// What became of it, once libcurl is done.
    func outcome(_ code: CURLcode) -> Result<HTTPClientResponse, HTTPClientError> {
        if isBlocked, !hasBegun {
            return .failure(HTTPClientError(.blockedTarget, "\(target.host) \(blockedReason)."))
        }
        if isTooLarge { return .failure(failure(.responseTooLarge, "the answer is longer than \(work.maximumResponseSize) bytes")) }
        if let outcome = mailOutcome(code) { return outcome }
        switch code {
        case CURLE_OK:
            return .success(
                HTTPClientResponse(
                    status: unsafe shim_curl_status(easy), headers: receivedHeaders(), body: body, certificates: certificates()))
        case CURLE_URL_MALFORMAT where !hasBegun: return .failure(failure(.badURL, reason(code)))
        case CURLE_OPERATION_TIMEDOUT where hasBegun: return expired()
        case CURLE_ABORTED_BY_CALLBACK: return .failure(failure(.interrupted, "the connection broke before an answer came"))
        default: return .failure(failure(hasBegun ? .interrupted : .notSent, reason(code)))
        }
    }

    private var blockedReason: String {
        work.allowsPrivateTargets
            ? "is named as a host of a private network, but is a public one: name it in full, so that TLS is demanded"
            : "is on this machine or in a private network, which is not allowed"
    }

    func expired() -> Result<HTTPClientResponse, HTTPClientError> {
        hasBegun
            ? .failure(failure(.timedOut, "no complete answer within \(work.timeout)"))
            : .failure(failure(.notSent, "no \(mail == nil ? "free connection" : "ready server") within \(work.timeout)"))
    }

    func cancelled() -> Result<HTTPClientResponse, HTTPClientError> { .failure(failure(.cancelled, "the request was cancelled")) }

    /// The mail that is carried, if it is one.
    var mail: Mail? { if case .mail(let mail) = work { mail } else { nil } }

    private func failure(_ code: HTTPClientError.Code, _ reason: String) -> HTTPClientError {
        HTTPClientError(code, "\(target.host): \(reason).", isInDoubt: hasBegun)
    }

    /// libcurl's own words, which name hosts but neither paths nor queries.
    func reason(_ code: CURLcode) -> String {
        let detail = unsafe errorText.baseAddress.map { unsafe String(cString: $0) } ?? ""
        return detail.isEmpty ? Self.text(code) : detail
    }

    private static func text(_ code: CURLcode) -> String {
        unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
    }
}

// MARK: - Options

/// What all transfers of one client have in common.
struct TransferOptions: Sendable {
    var userAgent: String
    var usesEnvironmentProxies: Bool
}

extension Transfer {
    private static let connectTimeout = Duration.seconds(5)

    func check(_ code: CURLcode) { if setupCode == CURLE_OK { setupCode = code } }
    func set(_ option: CURLoption, _ value: Int) { unsafe check(shim_curl_set_long(easy, option, value)) }
    func set(_ option: CURLoption, _ value: String) { unsafe check(shim_curl_set_string(easy, option, value)) }

    private func configure(_ options: TransferOptions) {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)  // Ending a transfer does not wait for a name that is still being looked up.
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_PIPEWAIT, 1)  // Rather share an HTTP/2 connection that is being made than make another.
        set(CURLOPT_CONNECTTIMEOUT_MS, min(Self.connectTimeout, work.timeout).wholeMilliseconds)
        set(CURLOPT_USERAGENT, options.userAgent)
        if !options.usesEnvironmentProxies { set(CURLOPT_PROXY, "") }
        unsafe check(shim_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText.baseAddress))
    }

    private func configure(_ request: HTTPClientRequest) {
        set(CURLOPT_URL, request.url)
        if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
        let announcesBody = request.method == "POST" || request.method == "PUT"
        if let body = request.body ?? (announcesBody ? [] : nil) {
            unsafe check(body.withUnsafeBytes { unsafe shim_curl_copy_body(easy, $0.baseAddress ?? UnsafeRawPointer(easy), $0.count) })
        }
        set(CURLOPT_CUSTOMREQUEST, request.method)
        if request.wantsCertificates { set(CURLOPT_CERTINFO, 1) }
        append("Expect:")  // No extra round trip before a long body.
        if request.headers.allSatisfy({ $0.name.lowercased() != "content-type" }) { append("Content-Type:") }
        // libcurl takes "Name:" as "without this header" and "Name;" as "with an empty value".
        for (name, value) in request.headers { append(value.isEmpty ? "\(name);" : "\(name): \(value)") }
        unsafe check(shim_curl_set_pointer(easy, CURLOPT_HTTPHEADER, list))
    }

    func append(_ line: String) {
        guard let longer = unsafe curl_slist_append(list, line) else { return check(CURLE_OUT_OF_MEMORY) }
        unsafe list = longer
    }

    /// Those that the peer showed, its own first; none unless the request asked for them.
    private func certificates() -> [String] {
        var found: [String] = []
        while let pem = unsafe shim_curl_certificate(easy, Int32(found.count)) { unsafe found.append(String(cString: pem)) }
        return found
    }

    private func receivedHeaders() -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        var header: UnsafeMutablePointer<curl_header>?
        while let next = unsafe curl_easy_nextheader(easy, UInt32(CURLH_HEADER), -1, header) {
            let value = unsafe String(cString: next.pointee.value).prefix { !$0.isNewline }  // libcurl leaves "\r" of an empty value.
            unsafe headers.append((String(cString: next.pointee.name), String(value)))
            unsafe header = next
        }
        return headers
    }
}

extension Duration {
    /// Rounded up, at least 1: libcurl takes 0 for "no limit".
    var wholeMilliseconds: Int {
        let limited = Swift.min(Swift.max(self, .zero), .seconds(86_400))
        let (seconds, attoseconds) = limited.components
        return Swift.max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
