/// The lot of one case under one rule: at random over cases, the same whenever it is drawn.
package struct HoldoutDraw: Hashable, Sendable {
    /// Uniform over 0..<100.
    package let value: Int

    package init(ledger: Ledger, transactionID: TransactionID, rule: String) {
        var hash = FNV1a()
        for part in [ledger.app.rawValue, ledger.environment.rawValue, transactionID.rawValue, rule] {
            hash.combine(part.utf8)
            hash.combine(CollectionOfOne(0xFF))  // no byte of UTF-8, so parts cannot run into one another
        }
        value = Int(Self.mixed(hash.value) % 100)
    }

    /// Whether the case gets no answer.
    package func isHeldOut(percent: Int) -> Bool { value < percent }

    /// The finalizer of SplitMix64: FNV-1a alone leaves neighbouring ids with neighbouring hashes.
    private static func mixed(_ hash: UInt64) -> UInt64 {
        var word = hash
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// The hash FNV-1a of 64 bits: small, and equal on every machine and in every run, which `Hasher` is not.
private struct FNV1a {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
