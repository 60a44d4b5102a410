import Foundation

/// Marks a database as served by this process, for as long as it lives: a second server on the same file would take the first one's
/// leased work for its own.
///
/// The system releases it however the process ends. Commands work beside a server and do not take it.
final class ServingLock: Sendable {
    private let descriptor: Int32

    /// - Parameter database: The file's path. The lock stands beside it.
    /// - Throws: ``DeskFault`` where another process holds it, or the folder cannot be written to.
    init(database: String) throws(DeskFault) {
        let file = URL(filePath: database).resolvingSymlinksInPath().path + ".serving"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DeskFault(
                "database: \(file) cannot be made: \(String(cString: strerror(errno))). Check the permissions of its folder", mayPass: true)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DeskFault(
                "database: \(database) is served by another refund-desk already: stop that one first, or name another file", mayPass: true)
        }
    }

    deinit { close(descriptor) }
}
