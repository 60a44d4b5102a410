import Dispatch
import SQLite
import Testing

private actor Desk {
    private let executor = SerialQueueExecutor(label: "test.desk")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let connection: Connection

    init() throws { connection = try itemDatabase() }

    func insert(_ name: String) throws -> Int {
        preconditionIsolated()
        try connection.insert(name)
        return try connection.names().count
    }

    func wait(for gate: DispatchSemaphore) { gate.wait() }
}

@Suite struct SerialQueueExecutorTests {
    @Test func callsRunOneAtATime() async throws {
        let desk = try Desk()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<100 { group.addTask { try await desk.insert("item \(index)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.sorted() == Array(1...100))
    }

    /// More actors than the shared pool has threads block at once; were they on the pool, the last could never be reached.
    @Test func blockedActorsHoldUpNobody() async throws {
        let desks = try (0..<64).map { _ in try Desk() }
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for desk in desks { group.addTask { await desk.wait(for: gate) } }
            #expect(try await Desk().insert("a") == 1)
            for _ in desks { gate.signal() }
            try await group.waitForAll()
        }
    }
}
