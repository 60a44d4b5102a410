import CLibcurl
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs all transfers of one client on one thread of its own.
///
/// `@unchecked Sendable`: `multi` is used on the loop's thread alone, except by `curl_multi_wakeup`, which libcurl allows from any
/// thread and which is only called under the inbox's lock while the loop has not closed; everything else is immutable or in the inbox.
@safe final class TransferLoop: @unchecked Sendable {
    typealias Completion = CheckedContinuation<Result<HTTPClientResponse, HTTPClientError>, Never>

    private enum Command {
        case start(UInt, HTTPClientRequest, RequestTarget, Completion)
        case cancel(UInt)
    }
    private struct Inbox {
        var commands: [Command] = []
        var isClosed = false
    }
    private struct Running {
        let transfer: Transfer
        let completion: Completion
    }

    private let multi: UnsafeMutableRawPointer
    private let options: TransferOptions
    private let inbox = Mutex(Inbox())
    private let lastID = Atomic<UInt>(0)

    private static let isLibraryReady = shim_curl_global_init() == CURLE_OK

    init(options: TransferOptions, maximumConnections: Int, perHostConnections: Int) {
        guard Self.isLibraryReady, let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl has no memory to start") }
        unsafe self.multi = multi
        self.options = options
        unsafe shim_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections)
        unsafe shim_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHostConnections)
        unsafe shim_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximumConnections)
        DispatchQueue(label: "refund-desk.http-client").async { self.run() }
    }
}

// MARK: - From any thread

extension TransferLoop {
    func nextID() -> UInt { lastID.add(1, ordering: .relaxed).newValue }

    /// The completion is resumed exactly once, whatever happens.
    func start(_ id: UInt, _ request: HTTPClientRequest, to target: RequestTarget, completion: Completion) {
        guard post(.start(id, request, target, completion)) else {
            return completion.resume(returning: .failure(HTTPClientError(.cancelled, "The HTTP client is closed.")))
        }
    }

    /// Does nothing for a transfer that has ended.
    func cancel(_ id: UInt) { _ = post(.cancel(id)) }

    func close() {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return }
            inbox.isClosed = true
            _ = unsafe curl_multi_wakeup(multi)
        }
    }

    private func post(_ command: Command) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.commands.append(command)
            if inbox.commands.count == 1 { _ = unsafe curl_multi_wakeup(multi) }
            return true
        }
    }
}

// MARK: - On the loop's thread

extension TransferLoop {
    private func run() {
        Self.blockPipeSignal()
        var running: [UInt: Running] = [:]
        var isClosed = false
        while !isClosed {
            let commands: [Command]
            (commands, isClosed) = take()
            for command in commands { perform(command, &running) }
            var active: Int32 = 0
            _ = unsafe curl_multi_perform(multi, &active)
            finish(&running)
            expire(&running)
            guard !isClosed else { break }
            _ = unsafe curl_multi_poll(multi, nil, 0, Self.patience(running), nil)
        }
        for id in Array(running.keys) { end(id, &running) { $0.cancelled() } }
        _ = unsafe curl_multi_cleanup(multi)
    }

    /// A peer that closed its TLS connection must not end the process; the write then reports an error instead.
    static func blockPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func take() -> ([Command], isClosed: Bool) {
        inbox.withLock { inbox in
            defer { inbox.commands.removeAll(keepingCapacity: true) }
            return (inbox.commands, inbox.isClosed)
        }
    }

    private func perform(_ command: Command, _ running: inout [UInt: Running]) {
        switch command {
        case .cancel(let id): end(id, &running) { $0.cancelled() }
        case .start(let id, let request, let target, let completion):
            do throws(HTTPClientError) {
                let transfer = try Transfer(.request(request), to: target, tag: id, options: options)
                running[id] = Running(transfer: transfer, completion: completion)
                guard unsafe curl_multi_add_handle(multi, transfer.easy) != CURLM_OK else { return }
                end(id, &running) { _ in .failure(HTTPClientError(.notSent, "libcurl has no memory for another transfer.")) }
            } catch {
                completion.resume(returning: .failure(error))
            }
        }
    }

    private func finish(_ running: inout [UInt: Running]) {
        var code = CURLE_OK
        while let easy = unsafe shim_curl_multi_finished(multi, &code) {
            end(unsafe shim_curl_tag(easy), &running) { $0.outcome(code) }
        }
    }

    /// libcurl's own time limit does not run while a transfer waits for a free connection, so the limit is kept here.
    private func expire(_ running: inout [UInt: Running]) {
        let now = ContinuousClock.now
        let late = running.filter { $0.value.transfer.deadline <= now }.map(\.key)
        for id in late { end(id, &running) { $0.expired() } }
    }

    private func end(_ id: UInt, _ running: inout [UInt: Running], _ outcome: (Transfer) -> Result<HTTPClientResponse, HTTPClientError>) {
        guard let ended = running.removeValue(forKey: id) else { return }
        let result = outcome(ended.transfer)
        _ = unsafe curl_multi_remove_handle(multi, ended.transfer.easy)
        ended.completion.resume(returning: result)
    }

    /// How long the thread may sleep, in milliseconds: until the next deadline. libcurl shortens it by its own timers, a wake-up ends it.
    private static func patience(_ running: [UInt: Running]) -> Int32 {
        let longest = Duration.seconds(60)
        guard let next = running.values.map(\.transfer.deadline).min() else { return Int32(longest.wholeMilliseconds) }
        return Int32(min(longest, ContinuousClock.now.duration(to: next)).wholeMilliseconds)
    }
}
