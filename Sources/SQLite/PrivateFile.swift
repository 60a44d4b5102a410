#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Creates files that only their owner may read.
enum PrivateFile {
    /// Creates an empty file of mode 0600 whatever the umask; leaves one that exists alone.
    ///
    /// An existing file is not even opened: closing it would drop the locks that this process holds on it.
    ///
    /// - Returns: 0, or the `errno`: `EEXIST` if there is one already.
    static func create(_ path: String) -> Int32 {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fchmod(descriptor, 0o600) == 0 ? 0 : errno
    }

    static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// The system's words for an `errno`.
    static func reason(_ number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
