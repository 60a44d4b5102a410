import CLibcrypto

extension Certificate {
    /// Whether the certificate is for a host of that name, by its alternative names; wildcards count as browsers take them.
    package func isFor(host: String) -> Bool {
        defer { ERR_clear_error() }
        if unsafe X509_check_host(pointer, host, 0, 0, nil) == 1 { return true }
        return unsafe X509_check_ip_asc(pointer, host, 0) == 1
    }
}
