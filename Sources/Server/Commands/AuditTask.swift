import Crypto
import Domain
import Foundation
import Ingest
import Store

/// `audit verify`: checks the chain that seals the trail of consents, decisions, answers and administrators' acts.
package struct AuditTask: Sendable {
    let configFile: String
    /// In hexadecimal digits: hashes noted earlier that must still be in the chain.
    let hashes: [String]
    let json: Bool

    package init(configFile: String, hashes: [String], json: Bool) {
        self.configFile = configFile
        self.hashes = hashes
        self.json = json
    }

    package func verify(_ console: Console) async throws -> ExitCode {
        let configuration = try Configuration.load(configFile, console)
        let wanted = try hashes.map { text throws(CommandFault) -> [UInt8] in
            guard let bytes = bytes(ofHexadecimal: text), bytes.count == 32 else {
                throw CommandFault("--hash takes the 64 hexadecimal digits of a link's hash, not \"\(text)\"")
            }
            return bytes
        }
        let store: any Store
        do { store = try await DeskCore.openExistingStore(configuration.database) } catch { throw CommandFault("\(configFile): \(error)") }
        let report: AuditReport
        do { report = try await AuditTrail.verify(store, hashes: Set(wanted)) } catch {
            await store.close()
            throw CommandFault("the trail cannot be read: \(error)", .notSo)
        }
        await store.close()
        let missing = wanted.filter { !report.found.contains($0) }.map { "the chain holds no link \(hexadecimal($0))" }
        try say(report, report.faults + missing, console)
        return report.faults.isEmpty && missing.isEmpty ? .done : .notSo
    }

    private func say(_ report: AuditReport, _ faults: [String], _ console: Console) throws {
        let head = report.head.map(hexadecimal)
        if json {
            return try console.print(json: Outcome(links: report.links, forgotten: report.forgotten, head: head, faults: faults))
        }
        for fault in faults { console.print(fault) }
        let verdict = faults.isEmpty ? "the chain holds" : "the chain is broken"
        console.print("\(report.links) links, \(report.forgotten) of them of what was forgotten: \(verdict)")
        if let head { console.print("newest link: \(head)") }
    }

    private struct Outcome: Encodable {
        var links: Int64
        var forgotten: Int64
        var head: String?
        var faults: [String]
    }
}

private func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        bytes.append(UInt8(high << 4 | low))
    }
    return bytes
}
