import Foundation

/// Holds processes to a share of a processor, each by itself, so that a machine with few cores can show whether two desks do more than one.
struct ProcessorQuota {
    private let folder: String
    private static let period = 100_000

    /// - Parameters:
    ///   - name: Of the control group that is made.
    ///   - share: Of one processor.
    /// - Returns: nil where this user may not make control groups.
    init?(_ name: String, share: Double) {
        let quota = Int(share * Double(ProcessorQuota.period))
        let roots = [
            ("/sys/fs/cgroup/cpu", [("cpu.cfs_period_us", "\(ProcessorQuota.period)"), ("cpu.cfs_quota_us", "\(quota)")]),
            ("/sys/fs/cgroup", [("cpu.max", "\(quota) \(ProcessorQuota.period)")]),
        ]
        for (root, settings) in roots {
            let folder = "\(root)/\(name)"
            guard mkdir(folder, 0o755) == 0 else { continue }
            if settings.allSatisfy({ ProcessorQuota.write($0.1, to: folder + "/" + $0.0) }) {
                self.folder = folder
                return
            }
            rmdir(folder)
        }
        return nil
    }

    /// - Returns: Whether the process is held from now on.
    func hold(_ process: Int32) -> Bool { ProcessorQuota.write("\(process)", to: folder + "/cgroup.procs") }

    /// Once the process has ended.
    func remove() { rmdir(folder) }

    private static func write(_ text: String, to file: String) -> Bool {
        guard let handle = FileHandle(forWritingAtPath: file) else { return false }
        defer { try? handle.close() }
        do { try handle.write(contentsOf: Data(text.utf8)) } catch { return false }
        return true
    }
}
