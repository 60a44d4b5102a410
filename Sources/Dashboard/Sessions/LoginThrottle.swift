import Domain
import HTTPServer
import Synchronization

/// Slows guessing down: after some wrong tokens from one address, or many from all, nobody is listened to for a while.
///
/// A token has 256 random bits, so this keeps noise and load away rather than guesses.
final class LoginThrottle: Sendable {
    static let span = Span.minutes(5)
    static let perAddress = 10
    static let fromAll = 200
    private static let mostAddresses = 10_000

    private struct Failures {
        var all: [Timestamp] = []
        var byAddress: [String: [Timestamp]] = [:]
    }
    private let failures = Mutex(Failures())

    /// - Returns: How long to wait; nil where a try is welcome.
    func wait(for address: String, at now: Timestamp) -> Span? {
        failures.withLock { failures in
            let own = failures.byAddress[address, default: []].since(now)
            let all = failures.all.since(now)
            let blocking = [own.blocking(LoginThrottle.perAddress), all.blocking(LoginThrottle.fromAll)].compactMap(\.self).max()
            return blocking.map { max($0 + LoginThrottle.span - now, .seconds(1)) }
        }
    }

    func noteFailure(from address: String, at now: Timestamp) {
        failures.withLock { failures in
            failures.all = failures.all.since(now) + [now]
            failures.all.removeFirst(max(failures.all.count - LoginThrottle.fromAll, 0))
            if failures.byAddress.count >= LoginThrottle.mostAddresses {
                failures.byAddress = failures.byAddress.filter { !$0.value.since(now).isEmpty }
            }
            guard failures.byAddress.count < LoginThrottle.mostAddresses || failures.byAddress[address] != nil else { return }
            let own = failures.byAddress[address, default: []].since(now) + [now]
            failures.byAddress[address] = own.suffix(LoginThrottle.perAddress)
        }
    }

    /// Who asks. An IPv6 host has a whole /64 to itself.
    static func address(of request: HTTPRequest, behind proxies: TrustedProxies) -> String {
        proxies.client(of: request)?.host ?? ""
    }
}

extension [Timestamp] {
    fileprivate func since(_ now: Timestamp) -> [Timestamp] { filter { now - $0 < LoginThrottle.span && $0 <= now } }

    /// The failure whose age ends the wait.
    fileprivate func blocking(_ limit: Int) -> Timestamp? { count < limit ? nil : self[count - limit] }
}
