import CLibcrypto

/// SHA-256, FIPS 180-4.
package enum SHA256Digest {
    package static let byteCount = 32

    /// - Returns: 32 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    /// - Returns: 32 bytes.
    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
                unsafe digest(input, into: output)
                count = byteCount
            }
        }
    }

    /// Writes the 32 bytes of the digest to the start of `output`.
    static func digest(_ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) {
        precondition(output.count >= byteCount, "room for a digest")
        let done = unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, algorithm.pointer, nil)
        precondition(done == 1, "libcrypto cannot compute SHA-256: out of memory")
    }

    /// Fetched once: a fetch by each call would cost more than hashing a short message.
    private static let algorithm = Algorithm()

    /// Sendable, since a fetched EVP_MD is never changed afterwards and its reference count is atomic.
    @safe private final class Algorithm: @unchecked Sendable {
        let pointer: OpaquePointer
        init() {
            guard let md = unsafe EVP_MD_fetch(nil, "SHA256", nil) else { preconditionFailure("libcrypto has no SHA-256") }
            unsafe pointer = md
        }
    }
}
