import CLibcrypto

/// Owns one EVP_PKEY.
///
/// Sendable, since nothing here changes a key after it was made, libcrypto only reads it to sign and to verify, and its reference
/// count is atomic.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over one reference.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }
    deinit { unsafe EVP_PKEY_free(pointer) }

    var isP256: Bool {
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { return false }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return false }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) == "prime256v1"
    }

    /// Reads a PEM text. Passwords are never asked for at the terminal: an encrypted key is not read.
    static func privateKey(pem: String) -> KeyHandle? {
        unsafe read(pem) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a PEM text.
    static func publicKey(pem: String) -> KeyHandle? {
        unsafe read(pem) { unsafe PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    private static func read(_ pem: String, _ reader: (OpaquePointer) -> OpaquePointer?) -> KeyHandle? {
        defer { ERR_clear_error() }
        let text = Array(pem.utf8)
        guard text.count <= 1 << 20 else { return nil }
        // The library reads from these very bytes until the end: they must last as long.
        return unsafe text.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            guard let key = unsafe reader(bio) else { return nil }
            return unsafe KeyHandle(owning: key)
        }
    }

    /// The private key as unencrypted PKCS#8 in PEM.
    var pkcs8PEM: String {
        unsafe text(writtenBy: { unsafe PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) })
    }
}

/// What a PEM writer of libcrypto writes.
func text(writtenBy write: (OpaquePointer) -> Int32) -> String {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { preconditionFailure("out of memory") }
    defer { unsafe BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    precondition(unsafe write(bio) == 1, "libcrypto cannot write a key or certificate that it holds")
    let count = unsafe crypto_bio_bytes(bio, &bytes)
    return unsafe UnsafeRawBufferPointer(start: bytes, count: count).withMemoryRebound(to: UInt8.self) {
        unsafe String(decoding: $0, as: UTF8.self)
    }
}
