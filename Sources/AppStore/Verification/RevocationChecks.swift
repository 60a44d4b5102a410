import Crypto
import Domain
import Synchronization

/// What issuers say of the certificates of chains (OCSP), asked in the background and remembered: judging never waits.
///
/// A certificate is asked about at most once per window, however many messages it signs. Without a usable answer nothing is good: a
/// responder that is away, or an answer that is not the issuer's, leaves the standing unknown.
/// - Source: Apple's server libraries: an answer holds for fifteen minutes; leaf and intermediate are both asked about.
package final class RevocationChecks: Sendable {
    package enum Standing: Sendable, Equatable {
        case good
        case revoked
        /// Not known now; the sender may try again.
        case unknown
    }

    /// How long an answer counts.
    package static let window = Span.minutes(15)
    /// A good answer of this age is renewed while it still counts.
    static let renewal = Span.minutes(10)
    /// How soon a failed question is asked again.
    static let pause = Span.seconds(30)
    /// How many certificates are remembered; Apple signs with a few.
    static let capacity = 64

    private struct Entry {
        var certificate: Certificate
        var issuer: Certificate
        var status: OCSP.Status?
        var answeredAt: Timestamp?
        var askedAt: Timestamp
        var isBeingAsked = false
    }
    private let entries = Mutex<[[UInt8]: Entry]>([:])
    private let now: @Sendable () -> Timestamp
    private let ask: @Sendable (_ url: String, _ request: [UInt8]) async -> [UInt8]?

    /// - Parameter ask: Posts a request to a responder; nil where no answer came.
    package init(
        now: @escaping @Sendable () -> Timestamp, ask: @escaping @Sendable (_ url: String, _ request: [UInt8]) async -> [UInt8]?
    ) {
        self.now = now
        self.ask = ask
    }

    /// Judges chains by what is known, and begins to ask for what is not.
    package func standing(of paths: [CertificatePath]) -> Standing {
        var worst = Standing.good
        for path in paths {
            for (certificate, issuer) in [(path.leaf, path.intermediate), (path.intermediate, path.root)] {
                switch standing(of: certificate, issuer) {
                case .good: continue
                case .revoked: return .revoked
                case .unknown: worst = .unknown
                }
            }
        }
        return worst
    }

    /// Renews what is known before it lapses. Called from time to time.
    package func renew() {
        let now = now()
        let due = entries.withLock { entries in
            entries.values.filter { entry in
                guard let answeredAt = entry.answeredAt else { return now - entry.askedAt >= RevocationChecks.pause }
                return now - answeredAt >= RevocationChecks.renewal
            }
        }
        for entry in due { begin(entry.certificate, entry.issuer, now) }
    }

    private func standing(of certificate: Certificate, _ issuer: Certificate) -> Standing {
        let now = now()
        let entry = entries.withLock { $0[certificate.sha256] }
        let isFresh = entry?.answeredAt.map { now - $0 < RevocationChecks.window } ?? false
        let isDue = entry.map { now - ($0.answeredAt ?? $0.askedAt) >= ($0.answeredAt == nil ? Self.pause : Self.renewal) } ?? true
        if isDue { begin(certificate, issuer, now) }
        guard isFresh else { return .unknown }
        switch entry?.status {
        case .good: return .good
        case .revoked: return .revoked
        case .unknown, nil: return .unknown
        }
    }

    /// Asks in a task of its own, unless that is under way: whoever judges does not wait for it.
    private func begin(_ certificate: Certificate, _ issuer: Certificate, _ now: Timestamp) {
        let key = certificate.sha256
        let isFirst = entries.withLock { entries -> Bool in
            var entry = entries[key] ?? Entry(certificate: certificate, issuer: issuer, askedAt: now)
            guard !entry.isBeingAsked, entries[key] != nil || entries.count < Self.capacity else { return false }
            entry.isBeingAsked = true
            entry.askedAt = now
            entries[key] = entry
            return true
        }
        if isFirst { Task { await self.settle(key, status: self.status(of: certificate, issuer)) } }
    }

    /// nil where there is no usable answer.
    private func status(of certificate: Certificate, _ issuer: Certificate) async -> OCSP.Status? {
        guard let url = OCSP.responderURL(of: certificate),
            let response = await ask(url, OCSP.request(about: certificate, issuer: issuer))
        else { return nil }
        return try? OCSP.status(in: response, of: certificate, issuer: issuer, atMilliseconds: now().milliseconds)
    }

    private func settle(_ key: [UInt8], status: OCSP.Status?) {
        let now = now()
        entries.withLock { entries in
            entries[key]?.isBeingAsked = false
            guard let status else { return }
            entries[key]?.status = status
            entries[key]?.answeredAt = now
        }
    }
}
