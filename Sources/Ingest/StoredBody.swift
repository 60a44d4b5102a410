import AppStore
import Store

/// The bytes of a signed message as they stand in the log: the ids of its header segments, then the packed rest.
package enum StoredBody {
    package static func encode(_ body: PackedBody, _ tx: any LogWriting) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.bytes.count + 16)
        append(Int64(body.headers.count), to: &bytes)
        for header in body.headers { append(try tx.jwsHeaderID(header), to: &bytes) }
        return bytes + body.bytes
    }

    /// The original bytes of a signed log entry.
    package static func decode(_ entry: LogEntry, _ tx: any LogReading) throws(StoreError) -> [UInt8] {
        var rest = entry.body[...]
        var headers: [[UInt8]] = []
        guard let count = number(&rest), count <= 64 else { throw damaged(entry) }
        for _ in 0..<count {
            guard let id = number(&rest), let header = try tx.jwsHeader(id: id) else { throw damaged(entry) }
            headers.append(header)
        }
        guard let body = PackedBody(headers: headers, bytes: Array(rest)).unpack() else { throw damaged(entry) }
        return body
    }

    private static func damaged(_ entry: LogEntry) -> StoreError {
        StoreError(
            code: .corrupt, operation: "read the log", detail: "the body of log entry \(entry.sequence) is damaged: restore a backup")
    }

    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(exactly: value) }
        }
        return nil
    }
}
