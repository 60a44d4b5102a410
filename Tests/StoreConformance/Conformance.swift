import Domain
import Foundation
import Postgres
import SQLite
import Store
import StorePostgres
import StoreSQLite
import Testing

/// An engine that must pass the suites named `Conformance…`; they know of it only what the protocols say.
package struct Engine: Sendable, CustomTestStringConvertible {
    package var testDescription: String
    /// Makes an empty store, which may vanish with the returned value.
    package var make: @Sendable () async throws -> EmptyStore

    package static let sqlite = Engine(testDescription: "SQLite") {
        let folder = try TemporaryFolder()
        let path = folder.file("desk.db")
        return EmptyStore(
            owner: folder, edit: { try SQLite.Connection(path: path, mode: .readWriteCreate).executeScript("test.edit", $0) },
            leftovers: { folder.files.filter { $0 != "desk.db" } }, reopen: { try await SQLiteStore.open(path: path, now: at(0)) })
    }

    /// The server named by `REFUND_DESK_POSTGRES`; nil where none is.
    package static let postgres: Engine? = PostgresServer.url.map { url in
        Engine(testDescription: "PostgreSQL") {
            let schema = try TemporarySchema(url)
            return EmptyStore(
                owner: schema, edit: { try schema.execute($0) }, leftovers: { try TemporarySchema.leftBehindByReplays(url) },
                reopen: { try await PostgresStore.open(url: url, schema: schema.name, now: at(0)) })
        }
    }
}

package let engines: [Engine] = [.sqlite] + [Engine.postgres].compactMap(\.self)

/// The PostgreSQL that tests may use.
package enum PostgresServer {
    package static let url = ProcessInfo.processInfo.environment["REFUND_DESK_POSTGRES"]
    /// What a skipped test says.
    package static let missing: Comment = "set REFUND_DESK_POSTGRES to the URL that `scripts/postgres start FOLDER` prints"
}

@Suite struct ConformancePostgres {
    @Test(.enabled(if: PostgresServer.url != nil, PostgresServer.missing)) func postgresIsAmongTheEngines() {
        #expect(engines.count == 2)
    }
}

/// A schema that vanishes with its last use.
package final class TemporarySchema: Sendable {
    package let name = "test_\(UInt64.random(in: .min ... .max))"
    private let url: String

    package init(_ url: String) throws {
        self.url = url
        try Postgres.Connection(Target(url: url)).executeScript("test.schema", "CREATE SCHEMA \(name)")
    }

    deinit {
        // Quietly: NOTICE tells of each table.
        try? Postgres.Connection(Target(url: url)).executeScript(
            "test.schema", "SET client_min_messages = warning; DROP SCHEMA \(name) CASCADE")
    }

    private static let scratch: StaticString = "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, 'refund_desk_replay_')"

    static func leftBehindByReplays(_ url: String) throws -> [String] {
        try Postgres.Connection(Target(url: url)).rows("test.schemas", scratch) { try $0.text(0) }
    }

    /// Runs statements in the schema, behind the store's back.
    package func execute(_ sql: String) throws {
        var target = try Target(url: url)
        target.schema = name
        try Postgres.Connection(target).executeScript("test.edit", sql)
    }
}

/// A store without content that can be closed and opened again.
package struct EmptyStore: Sendable {
    let owner: any Sendable
    /// Runs a statement behind the store's back.
    package let edit: @Sendable (String) throws -> Void
    /// What is there beside the closed store itself.
    package let leftovers: @Sendable () throws -> [String]
    package let reopen: @Sendable () async throws -> any Store

    init(
        owner: any Sendable, edit: @escaping @Sendable (String) throws -> Void, leftovers: @escaping @Sendable () throws -> [String],
        reopen: @escaping @Sendable () async throws -> any Store
    ) {
        self.owner = owner
        self.edit = edit
        self.leftovers = leftovers
        self.reopen = reopen
    }

    /// Runs a test on it and closes it.
    package func use(_ body: (any Store) async throws -> Void) async throws {
        let store = try await reopen()
        do { try await body(store) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}

extension Engine {
    package func use(_ body: (any Store) async throws -> Void) async throws { try await make().use(body) }
}

package typealias Writing<Result> = @Sendable (any WriteTransaction) throws(StoreError) -> Result
package typealias Reading<Result> = @Sendable (any ReadTransaction) throws(StoreError) -> Result

extension Store {
    /// All items of a list, page by page.
    package func pages<Item: Sendable>(
        of limit: Int, _ list: @escaping @Sendable (any ReadTransaction, PageRequest) throws(StoreError) -> Page<Item>
    ) async throws -> [[Item]] {
        var pages: [[Item]] = []
        var request = PageRequest(limit: limit)
        repeat {
            let next = request
            let page = try await read { tx throws(StoreError) in try list(tx, next) }
            pages.append(page.items)
            request.cursor = page.nextCursor
        } while request.cursor != nil
        return pages
    }
}

/// The error that a call ends with.
package func failure<Result>(_ body: () async throws -> Result) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
