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
        guard fchmod(descriptor, 0o600) == 0 else { return errno }
        return geteuid() == 0 ? hand(descriptor, toOwnerOf: folder(of: path)) : 0
    }

    /// What root makes in somebody's folder is that somebody's, as SQLite does with files of its own. Else a service with a user of its own
    /// could not open what a command made before its first start.
    private static func hand(_ descriptor: Int32, toOwnerOf folder: String) -> Int32 {
        var status = stat()
        guard unsafe stat(folder, &status) == 0, fchown(descriptor, status.st_uid, status.st_gid) == 0 else { return errno }
        return 0
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// The system's words for an `errno`.
    static func reason(_ number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
