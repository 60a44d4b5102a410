import Domain
import Foundation
import Store

/// JSON of what the owner and the desk said, as it stands in the log. Sorted keys: the same fact gives the same bytes.
enum FactCodec {
    static func encode(_ fact: some Encodable) throws(StoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try Array(encoder.encode(fact)) } catch {
            throw StoreError(code: .corrupt, operation: "encode a fact", detail: "\(error)")
        }
    }

    static func decode<Fact: Decodable>(_ type: Fact.Type, _ entry: LogEntry) throws(StoreError) -> Fact {
        do { return try JSONDecoder().decode(type, from: Data(entry.body)) } catch {
            throw StoreError(
                code: .corrupt, operation: "decode a fact", detail: "log entry \(entry.sequence) of kind \(entry.kind.rawValue) is damaged")
        }
    }
}
