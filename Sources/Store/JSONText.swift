import Foundation

/// A decision or its basis as JSON text. Sorted keys: the same value gives the same text, so that a rebuild can be compared.
package enum JSONText {
    package static func encode(_ value: some Encodable, _ operation: String) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return String(decoding: try encoder.encode(value), as: UTF8.self) } catch {
            throw StoreError(code: .corrupt, operation: operation, detail: "it cannot be written as JSON")
        }
    }

    package static func decode<Value: Decodable>(_ text: String) -> Value? { try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) }
}
