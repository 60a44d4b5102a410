import Synchronization

/// The signers of recent headers, newest first. Equal bytes of a header are an equal chain, so nothing has to be decoded.
///
/// Only headers whose signature held come in, so that nobody but Apple's keys can push others out.
final class SignerCache: Sendable {
    static let capacity = 64
    private typealias Entry = (header: [UInt8], signer: Signer)
    private let entries = Mutex<[Entry]>([])

    /// - Parameter range: Where the encoded header lies.
    func signer(of bytes: [UInt8], at range: Range<Int>) -> Signer? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.header.span.isEqual(to: bytes.span.extracting(range)) }) else { return nil }
            if index > 0 { entries.insert(entries.remove(at: index), at: 0) }
            return entries[0].signer
        }
    }

    func insert(_ signer: Signer, of bytes: [UInt8], at range: Range<Int>) {
        let header = Array(bytes[range])
        entries.withLock { entries in
            guard !entries.contains(where: { $0.header == header }) else { return }
            if entries.count == Self.capacity { entries.removeLast() }
            entries.insert((header, signer), at: 0)
        }
    }
}
