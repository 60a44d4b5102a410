import Crypto
import Domain
import HTTPServer
import Store
import Synchronization

/// Finds out what a request's token may do. A token is known by its SHA-256 alone.
///
/// What was found is believed for two seconds: so long at most does a token work after it was revoked elsewhere.
final class TokenGate: Sendable {
    private struct Finding {
        var holder: Holder
        var at: Timestamp
    }
    private struct Holder {
        var name: String
        var scope: TokenRow.Scope
    }
    private static let believedFor = Span.seconds(2)
    private static let longestToken = 512

    private let findings = Mutex<[[UInt8]: Finding]>([:])

    /// - Returns: The token's name.
    /// - Throws: 401 without a valid token, 403 where its scope is too small.
    func admit(_ request: HTTPRequest, needing scope: TokenRow.Scope, _ store: any Store, at now: Timestamp) async throws(Problem)
        -> String
    {
        guard let token = TokenGate.bearerToken(request) else {
            throw .unauthorized("This needs a token: send `Authorization: Bearer TOKEN` (`refund-desk token create` makes one).")
        }
        guard let own = try await holder(of: SHA256Digest.hash(Array(token.utf8)), store, at: now) else {
            throw .unauthorized("The token is unknown or revoked: make one with `refund-desk token create`.")
        }
        guard own.scope >= scope else {
            throw Problem(.forbidden, "This needs a token of scope `\(scope.rawValue)`; the one sent has `\(own.scope.rawValue)`.")
        }
        return own.name
    }

    /// The scheme's case does not matter (RFC 9110).
    private static func bearerToken(_ request: HTTPRequest) -> Substring? {
        guard let header = request.header("Authorization") else { return nil }
        let parts = header.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= longestToken else { return nil }
        return parts[1]
    }

    private func holder(of sha256: [UInt8], _ store: any Store, at now: Timestamp) async throws(Problem) -> Holder? {
        if let finding = findings.withLock({ $0[sha256] }), finding.at <= now, now - finding.at < TokenGate.believedFor {
            return finding.holder
        }
        let row: TokenRow?
        do { row = try await store.read { tx throws(StoreError) in try tx.token(sha256: sha256) } } catch { throw .unavailable }
        guard let row, row.revokedAt == nil, isSame(row.sha256, sha256) else {
            _ = findings.withLock { $0.removeValue(forKey: sha256) }
            return nil
        }
        let holder = Holder(name: row.name, scope: row.scope)
        findings.withLock { $0[sha256] = Finding(holder: holder, at: now) }
        return holder
    }
}

extension Problem {
    fileprivate static func unauthorized(_ detail: String) -> Problem {
        Problem(.unauthorized, detail, headers: [("WWW-Authenticate", "Bearer realm=\"refund-desk\"")])
    }
}

/// Compares in a time that does not tell where two hashes differ.
private func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
