import CLibpq

extension Connection {
    /// Connects and silences libpq's notices, which it would write to the standard error.
    static func open(_ target: Target) throws(PostgresError) -> OpaquePointer {
        // What comes after `dbname` would win over the URL; what stands before it are defaults.
        let options = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "30000"), ("fallback_application_name", "refund-desk"),
            ("client_encoding", "UTF8"), ("dbname", target.connectionInfo),
        ]
        let opened = unsafe withStrings(options.map(\.0)) { keywords in
            unsafe withStrings(options.map(\.1)) { values in unsafe PQconnectdbParams(keywords, values, 1) }
        }
        guard let handle = unsafe opened else { throw PostgresError(.exhausted, "postgres.open", "libpq is out of memory") }
        unsafe clibpq_silence(handle)
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let words = unsafe target.redacted(String(cString: PQerrorMessage(handle)))
            unsafe PQfinish(handle)
            throw PostgresError(Connection.meaning(of: words), "postgres.open", words)
        }
        return unsafe handle
    }

    /// libpq gives no number for why a connection failed; a server that starts, stops or is not there is worth another try.
    private static func meaning(of words: String) -> PostgresError.Code {
        let final = ["password", "authentication", "does not exist", "pg_hba.conf", "certificate", "no such user", "invalid "]
        return final.contains(where: words.contains) ? .refused : .connectionLost
    }

    /// Null-terminated C strings in an array that ends in a null pointer.
    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        let offsets = strings.map { string in
            defer { bytes += string.utf8CString }
            return bytes.count
        }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            let start = buffer.baseAddress
            return unsafe body(offsets.map { offset in unsafe start?.advanced(by: offset) } + [nil])
        }
    }
}
