import Domain
import Store
import StoreSQLite
import Testing

/// An engine that must pass the suites named `Conformance…`; they know of it only what the protocols say.
struct Engine: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Makes an empty store, which may vanish with the returned value.
    var make: @Sendable () async throws -> EmptyStore

    static let sqlite = Engine(testDescription: "SQLite") {
        let folder = try TemporaryFolder()
        let path = folder.file("desk.db")
        return EmptyStore(folder: folder, reopen: { try await SQLiteStore.open(path: path, now: at(0)) })
    }
}

let engines: [Engine] = [.sqlite]

/// A store without content that can be closed and opened again.
struct EmptyStore: Sendable {
    let folder: TemporaryFolder
    let reopen: @Sendable () async throws -> any Store

    /// Runs a test on it and closes it.
    func use(_ body: (any Store) async throws -> Void) async throws {
        let store = try await reopen()
        do { try await body(store) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}

extension Engine {
    func use(_ body: (any Store) async throws -> Void) async throws { try await make().use(body) }
}

typealias Writing<Result> = @Sendable (any WriteTransaction) throws(StoreError) -> Result
typealias Reading<Result> = @Sendable (any ReadTransaction) throws(StoreError) -> Result

extension Store {
    /// All items of a list, page by page.
    func pages<Item: Sendable>(
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
func failure<Result>(_ body: () async throws -> Result) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
