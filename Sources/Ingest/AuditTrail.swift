import Crypto
import Domain
import Store

/// Seals entries of the log by a chain of SHA-256 hashes, and checks the chain.
///
/// A link's content hash is over a random salt and the entry; its own hash is over the hash before it, its position and the content hash.
/// So what a person has a right to be forgotten can be taken out of an entry, and its salt with it, while the chain still holds.
package enum AuditTrail {
    static func seal(_ entry: LogEntry, by actor: String?, _ tx: any WriteTransaction) throws(StoreError) {
        let salt = randomBytes(16)
        let content = contentHash(entry, by: actor, salt: salt)
        let sequence = entry.sequence
        try tx.append(in: entry.ledger) { newest in
            let position = (newest?.position ?? 0) + 1
            return AuditSeal(
                position: position, entry: sequence, actor: actor, salt: salt, contentSHA256: content,
                sha256: linkHash(after: newest?.sha256, position: position, content: content))
        }
    }

    /// Over the salt and the parts that make up an entry, each after its length in eight bytes, the greatest first.
    package static func contentHash(_ entry: LogEntry, by actor: String?, salt: [UInt8]) -> [UInt8] {
        let words = [
            "\(entry.sequence)", entry.kind.rawValue, entry.ledger.app.rawValue, entry.ledger.environment.rawValue, entry.source.rawValue,
            entry.transactionID?.rawValue ?? "", "\(entry.receivedAt.milliseconds)", actor ?? "",
        ]
        var bytes = salt
        for part in words.map({ Array($0.utf8) }) + [entry.body] { bytes += bigEndian(Int64(part.count)) + part }
        return SHA256Digest.hash(bytes)
    }

    /// - Parameter previous: nil for the first link, which follows on 32 zeros.
    package static func linkHash(after previous: [UInt8]?, position: Int64, content: [UInt8]) -> [UInt8] {
        SHA256Digest.hash((previous ?? Array(repeating: 0, count: 32)) + bigEndian(position) + content)
    }

    private static func bigEndian(_ number: Int64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
}

/// What a check of the chain found.
package struct AuditReport: Sendable {
    package var links: Int64 = 0
    /// Entries whose content was forgotten: their place in the chain holds, their text is gone.
    package var forgotten: Int64 = 0
    /// The newest link's hash: kept elsewhere, it proves later that nothing was taken off the end.
    package var head: [UInt8]?
    /// Those of the hashes asked for that the chain holds.
    package var found: Set<[UInt8]> = []
    /// One line each, the first hundred.
    package var faults: [String] = []
    /// What entries without a salt are now, by sequence, until a later act vouches for them.
    var unproven: [Int64: [UInt8]] = [:]

    mutating func add(_ fault: String) { if faults.count < 100 { faults.append(fault) } }
}

extension AuditTrail {
    /// Checks every link against the one before it and against the log.
    ///
    /// - Parameters:
    ///   - hashes: Hashes noted earlier that the chain must hold.
    ///   - progress: Told how many links were checked.
    package static func verify(
        _ store: any Store, hashes: Set<[UInt8]> = [], progress: @Sendable (Int64) -> Void = { _ in }
    ) async throws(StoreError) -> AuditReport {
        var report = AuditReport()
        while true {
            let after = report.links
            let links = try await store.read { tx throws(StoreError) in try tx.seals(after: after, limit: 1_000) }
            for link in links { check(link.seal, link.entry, &report, hashes) }
            guard links.count == 1_000, report.faults.isEmpty else { break }
            progress(report.links)
        }
        for entry in report.unproven.keys.sorted() { report.add("log entry \(entry) has no salt, and no act says that it was forgotten") }
        let unsealed = try await store.read { tx throws(StoreError) in try tx.unsealedEntryCount() }
        if unsealed > 0 { report.add("\(unsealed) entries of the log are sealed by no link: they were inserted, or their links removed") }
        return report
    }

    private static func check(_ seal: AuditSeal, _ entry: LogEntry?, _ report: inout AuditReport, _ hashes: Set<[UInt8]>) {
        let expected = linkHash(after: report.head, position: seal.position, content: seal.contentSHA256)
        if seal.position != report.links + 1 {
            report.add("link \(report.links + 1) is missing")
        } else if seal.sha256 != expected {
            report.add("link \(seal.position) does not follow from the one before it")
        }
        if let fault = contentFault(seal, entry) { report.add(fault) }
        if seal.salt == nil { report.forgotten += 1 }
        if let entry { vouch(seal, entry, &report) }
        if hashes.contains(seal.sha256) { report.found.insert(seal.sha256) }
        report.links = seal.position
        report.head = seal.sha256
    }

    private static func vouch(_ seal: AuditSeal, _ entry: LogEntry, _ report: inout AuditReport) {
        if seal.salt == nil { report.unproven[entry.sequence] = contentHash(entry, by: seal.actor, salt: []) }
        guard entry.kind == .act, let act = try? FactCodec.decode(Act.self, entry) else { return }
        for (sequence, hash) in act.rewritten ?? [:] {
            guard let sequence = Int64(sequence), report.unproven[sequence].map(hexadecimal) == hash else { continue }
            report.unproven[sequence] = nil
        }
    }

    private static func contentFault(_ seal: AuditSeal, _ entry: LogEntry?) -> String? {
        guard let entry else { return "link \(seal.position): log entry \(seal.entry) is gone" }
        guard let salt = seal.salt else { return nil }
        return contentHash(entry, by: seal.actor, salt: salt) == seal.contentSHA256
            ? nil : "link \(seal.position): log entry \(seal.entry) was altered"
    }
}
