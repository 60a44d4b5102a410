import Domain
import Store

@testable import StoreSQLite

/// What any engine must do: the suites named `Conformance…` know of the store only what its protocols say.
///
/// Another engine runs the same files with a factory of its own.
struct StoreUnderTest: Sendable {
    let store: any Store
    private let folder: TemporaryFolder

    static func make() async throws -> StoreUnderTest {
        let folder = try TemporaryFolder()
        return StoreUnderTest(store: try await SQLiteStore.open(path: folder.file("desk.db"), now: at(0)), folder: folder)
    }
}

extension Store {
    /// Reads by hand what the closure names.
    func see<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await read(body)
    }
}
