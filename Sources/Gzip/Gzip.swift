import CZlib

/// Why bytes cannot be unpacked.
package enum GzipError: Error, Hashable, Sendable {
    /// Neither gzip nor whole, or with a wrong checksum.
    case damaged
    case tooLong
}

/// Files packed by gzip, through zlib.
package enum Gzip {
    private static let chunk = 64 * 1_024

    /// Whether bytes begin as every gzip file does.
    package static func isPacked(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// - Parameters:
    ///   - bytes: One gzip file of one or more members, whole; checksums are verified.
    ///   - limit: More than that is not unpacked, however small the file.
    package static func unpacked(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe czlib_inflate_init_gzip(&stream) == Z_OK else { throw .damaged }
        defer { _ = unsafe inflateEnd(&stream) }
        var result: [UInt8] = []
        var taken = 0
        var hasEnded = false
        while taken < bytes.count {
            // Another member follows.
            if hasEnded { guard unsafe inflateReset(&stream) == Z_OK else { throw .damaged } }
            let step = unsafe try inflateOnce(&stream, bytes, from: taken, into: &result)
            guard result.count <= limit else { throw .tooLong }
            guard step.taken > 0 || step.made > 0 else { throw .damaged }
            taken += step.taken
            hasEnded = step.hasEnded
        }
        guard unsafe hasEnded || finish(&stream, into: &result, limit: limit) else { throw .damaged }
        guard result.count <= limit else { throw .tooLong }
        return result
    }

    private struct Step {
        var taken: Int
        var made: Int
        var hasEnded: Bool
    }

    private static func inflateOnce(
        _ stream: inout z_stream, _ bytes: [UInt8], from start: Int, into result: inout [UInt8]
    ) throws(GzipError) -> Step {
        var output = [UInt8](repeating: 0, count: chunk)
        let offered = min(bytes.count - start, chunk)
        var input = Array(bytes[start..<(start + offered)])
        let code = unsafe call(&stream, from: &input, into: &output) { unsafe inflate(&$0, Z_NO_FLUSH) }
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw .damaged }
        let made = unsafe chunk - Int(stream.avail_out)
        result += output.prefix(made)
        return unsafe Step(taken: offered - Int(stream.avail_in), made: made, hasEnded: code == Z_STREAM_END)
    }

    /// All input is taken, but output may still wait inside.
    private static func finish(_ stream: inout z_stream, into result: inout [UInt8], limit: Int) -> Bool {
        while result.count <= limit {
            guard let step = unsafe try? inflateOnce(&stream, [], from: 0, into: &result) else { return false }
            if step.hasEnded { return true }
            if step.made == 0 { return false }
        }
        return true
    }

    /// Packs bytes as one member.
    package static func packed(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe czlib_deflate_init_gzip(&stream) == Z_OK else { throw .damaged }
        defer { _ = unsafe deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: unsafe Int(deflateBound(&stream, UInt(bytes.count))) + 32)
        let code = unsafe call(&stream, from: &input, into: &output) { unsafe deflate(&$0, Z_FINISH) }
        guard code == Z_STREAM_END else { throw .damaged }
        return unsafe Array(output.prefix(output.count - Int(stream.avail_out)))
    }

    /// One call of the library on buffers that last as long as it. Its structure takes lengths of 32 bits: the callers keep below.
    private static func call(
        _ stream: inout z_stream, from input: inout [UInt8], into output: inout [UInt8], _ work: (inout z_stream) -> Int32
    ) -> Int32 {
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                return unsafe work(&stream)
            }
        }
    }
}
