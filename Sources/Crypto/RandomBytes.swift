import CLibcrypto

/// Bytes fit for keys and tokens, from libcrypto's generator, which is seeded by the system.
package func randomBytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= Int(Int32.max), "a count of random bytes")
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, filled in
        let done = unsafe RAND_bytes(output.baseAddress, Int32(count))
        precondition(done == 1 || count == 0, "the system gives no randomness")
        filled = count
    }
}
