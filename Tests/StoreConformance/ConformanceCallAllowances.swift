import Domain
import Store
import StoreSQLite
import Testing

@Suite struct ConformanceCallAllowances {
    @Test(arguments: engines) func whatIsLeftComesBack(_ engine: Engine) async throws {
        try await engine.use { store in
            #expect(try await store.read { tx throws(StoreError) in try tx.callAllowance("answers", of: demo) } == nil)
            let rows = [
                CallAllowanceRow(family: "answers", leftMillionths: 5_999_500_000, asOf: at(1)),
                CallAllowanceRow(family: "answers", leftMillionths: -400_000, asOf: at(2), closedUntil: at(9)),
            ]
            for row in rows {
                try await store.write { tx throws(StoreError) in try tx.put(row, of: demo) }
                try await store.read { tx throws(StoreError) in
                    #expect(try tx.callAllowance("answers", of: demo) == row)
                    #expect(try tx.callAllowance("refunds", of: demo) == nil)
                    #expect(try tx.callAllowance("answers", of: demoSandbox) == nil)
                }
            }
        }
    }

    /// Writers that announce what they touch count one after the other, whichever connection they use.
    @Test(arguments: engines) func nothingIsCountedTwiceNorLost(_ engine: Engine) async throws {
        try await engine.use { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await store.write(touching: ["calls"]) { tx throws(StoreError) in
                            let left = try tx.callAllowance("answers", of: demo)?.leftMillionths ?? 0
                            try tx.put(CallAllowanceRow(family: "answers", leftMillionths: left + 1, asOf: at(1)), of: demo)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read { tx throws(StoreError) in try tx.callAllowance("answers", of: demo)?.leftMillionths } == 64)
        }
    }
}
