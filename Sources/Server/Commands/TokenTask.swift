import Crypto
import Domain
import Foundation
import Ingest
import Store

/// `token create|list|revoke`: works on the database, also while the server runs.
package struct TokenTask: Sendable {
    let configFile: String

    package init(configFile: String) { self.configFile = configFile }

    package func create(name: String, scope: String, json: Bool, _ console: Console) async throws -> ExitCode {
        guard let scope = TokenRow.Scope(rawValue: scope) else { throw CommandFault("--scope is read, write or admin, not \"\(scope)\"") }
        guard !name.isEmpty, name.utf8.count <= 100 else { throw CommandFault("--name takes 1 to 100 bytes") }
        let token = APIToken.make()
        let row = TokenRow(name: name, scope: scope, sha256: token.sha256, createdAt: SystemTime().now())
        let isNew = try await withStore(console) { store in
            try await store.write { tx throws(StoreError) in
                guard try tx.add(row) else { return false }
                try AdministratorDesk(tx: tx, now: row.createdAt, actor: "command line").note(
                    Act("token created", "\(name) (\(scope.rawValue))"))
                return true
            }
        }
        guard isNew else { throw CommandFault("a token named \"\(name)\" exists: revoke it first, or choose another name", .notSo) }
        if json {
            try console.print(json: NewToken(name: name, scope: scope.rawValue, token: token.text))
        } else {
            console.print(token.text)
        }
        return .done
    }

    package func list(json: Bool, _ console: Console) async throws -> ExitCode {
        let rows = try await withStore(console) { store in try await store.read { tx throws(StoreError) in try tx.tokens() } }
        if json {
            try console.print(json: rows.map(TokenListing.init))
        } else {
            for row in rows { console.print("\(row.name)\t\(row.scope.rawValue)\t\(row.revokedAt == nil ? "valid" : "revoked")") }
        }
        return .done
    }

    package func revoke(name: String, _ console: Console) async throws -> ExitCode {
        let now = SystemTime().now()
        let isRevoked = try await withStore(console) { store in
            try await store.write { tx throws(StoreError) in
                guard try tx.revokeToken(name: name, at: now) else { return false }
                try AdministratorDesk(tx: tx, now: now, actor: "command line").note(Act("token revoked", name))
                return true
            }
        }
        guard isRevoked else { throw CommandFault("there is no valid token named \"\(name)\": see token list", .notSo) }
        return .done
    }

    private func withStore<Result>(_ console: Console, _ body: (any Store) async throws -> Result) async throws -> Result {
        let configuration = try Configuration.load(configFile, console)
        let store: any Store
        do { store = try await DeskCore.openStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}

/// A new API token: 32 random bytes, known only to whoever it is printed for.
struct APIToken {
    let text: String
    var sha256: [UInt8] { SHA256Digest.hash(Array(text.utf8)) }

    static func make() -> APIToken { APIToken(text: "rd_" + Base64URL.encode(randomBytes(32))) }
}

private struct NewToken: Encodable {
    var name: String
    var scope: String
    var token: String
}

private struct TokenListing: Encodable {
    var name: String
    var scope: String
    var createdAt: Int64
    var revokedAt: Int64?

    init(_ row: TokenRow) {
        name = row.name
        scope = row.scope.rawValue
        createdAt = row.createdAt.milliseconds
        revokedAt = row.revokedAt?.milliseconds
    }
}
