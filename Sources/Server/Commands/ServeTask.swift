import Domain
import Foundation

/// `serve`: runs the desk until SIGTERM or SIGINT.
package struct ServeTask: Sendable {
    let configFile: String
    let listen: String?
    let sendsAnswers: Bool

    /// - Parameter sendsAnswers: Off, all goes on but that nothing is sent to Apple about a request: until consents are recorded again after
    ///   a restore.
    package init(configFile: String, listen: String?, sendsAnswers: Bool = true) {
        self.configFile = configFile
        self.listen = listen
        self.sendsAnswers = sendsAnswers
    }

    package func run(_ console: Console) async throws -> ExitCode {
        let termination = Termination()
        let configuration = try Configuration.load(configFile, console)
        let address = try listenAddress(listen)
        let time = SystemTime()
        let log = Log(time: time)
        raiseOpenFileLimit()
        let desk: Desk
        do { desk = try await Desk(configuration, listen: address, sendsAnswers: sendsAnswers, time: time, log: log) } catch {
            // Whoever starts services tries again after the one, and not after the other.
            throw CommandFault("\(configFile): \(error)", error.mayPass ? .notSo : .usage)
        }
        let scheme = configuration.tls == nil ? "http" : "https"
        var bound = address ?? configuration.listen
        bound.port = desk.server.port
        console.print("refund-desk listening on \(scheme)://\(bound)")
        log(.info, "started", ["listen": "\(bound)", "simulated": "\(configuration.simulated)"])
        if !sendsAnswers {
            log(.warning, "no-answers", ["detail": "nothing is sent to Apple about requests until serve runs without --no-answers"])
        }
        try await termination.end { try await desk.run() }
        log(.info, "stopped")
        return .done
    }
}

/// Lets the process hold as many connections as the system allows it; shells often start programs with 1024.
private func raiseOpenFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Reads `--listen`.
func listenAddress(_ text: String?) throws(CommandFault) -> ListenAddress? {
    guard let text else { return nil }
    guard let address = ListenAddress(text) else { throw CommandFault("--listen takes HOST:PORT, such as 127.0.0.1:8080") }
    return address
}
