import AppStoreSimulator
import Domain
import Foundation

/// The built server as a process of its own.
final class ChildDesk {
    let port: UInt16
    /// From the start of the process to its being ready.
    let startSeconds: Double
    private let process: Process
    private let output: Pipe

    /// - Parameters:
    ///   - folder: Has the configuration, see ``DeskFolder``.
    init(_ folder: DeskFolder, options: Options) throws {
        let process = Process()
        process.executableURL = URL(filePath: options.desk)
        process.arguments = ["serve", "--config", folder.configuration, "--listen", "127.0.0.1:0"]
        let output = Pipe()
        process.standardOutput = output
        _ = FileManager.default.createFile(atPath: folder.path + "/log", contents: nil)
        process.standardError = FileHandle(forWritingAtPath: folder.path + "/log")
        let start = ContinuousClock.now
        do { try process.run() } catch { throw BenchFault("\(options.desk) cannot be run: build it, or name it with --desk (\(error))") }
        var line = ""
        while !line.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw BenchFault("the desk ended: see \(folder.path)/log") }
            line += String(decoding: data, as: UTF8.self)
        }
        startSeconds = start.duration(to: .now).seconds
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0.trimmingCharacters(in: .newlines)) }) else {
            throw BenchFault("the desk said \(line)")
        }
        self.port = port
        self.process = process
        self.output = output
    }

    var processIdentifier: Int32 { process.processIdentifier }
    /// The most memory the process has held so far.
    var peakMegabytes: Double { ChildDesk.status("VmHWM", of: process.processIdentifier) / 1_024 }
    /// Of all its threads, since it began.
    var processorSeconds: Double { ChildDesk.processorSeconds(of: process.processIdentifier) }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs a command of the binary to its end.
    static func run(_ arguments: [String], options: Options) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: options.desk)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFault("refund-desk \(arguments.joined(separator: " ")) failed") }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func status(_ key: String, of process: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
    }

    private static func processorSeconds(of process: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// Where a measured desk has its configuration and, on SQLite, its database.
struct DeskFolder {
    let path: String
    let configuration: String
    let databaseFile: String

    /// - Parameters:
    ///   - database: nil for SQLite, `synchronous=FULL`.
    ///   - simulator: Who is answered; nil where nothing is asked.
    init(_ sample: Sample, database: String? = nil, simulator: AppStoreSimulator? = nil) throws {
        let app = sample.app
        path = FileManager.default.temporaryDirectory.appending(path: "refund-desk-bench-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        configuration = path + "/desk.json5"
        databaseFile = path + "/desk.db"
        let nobody = "http://127.0.0.1:1"
        let identity = sample.identity
        let text = """
            {
              database: "\(database ?? "sqlite:desk.db")", simulated: true,
              apps: [{
                id: "bench", bundleId: "\(app.bundleID)", appAppleId: \(app.appAppleID), environments: ["Production"],
                serverAPI: {
                  issuerId: "\(identity.description.issuerId)", keyId: "\(identity.description.keyId)",
                  privateKeyFile: "\(identity.path)/AuthKey_SIM.p8", productionURL: "\(simulator?.productionURL ?? nobody)",
                },
                trustedRoots: ["\(identity.path)/root.pem"],
                consent: { mode: "blanket", attestation: "The customers of the benchmark agreed." },
                products: { "*": { sampleContentProvided: true, delivery: "DELIVERED" } },
              }],
            }
            """
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    var databaseBytes: Double {
        [databaseFile, databaseFile + "-wal"].map { path in
            ((try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? NSNumber)?.doubleValue ?? 0
        }.reduce(0, +)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

let notificationsPath = "/v1/apps/bench/notifications"
