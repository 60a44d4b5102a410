import Foundation
import Gzip
import Testing

@Suite struct GzipTests {
    private let text = Array(String(repeating: "Units\tDeveloper Proceeds\n", count: 9_000).utf8)

    @Test func whatIsPackedComesBack() throws {
        for sample in [[], [7], text] as [[UInt8]] {
            let packed = try Gzip.packed(sample)
            #expect(Gzip.isPacked(packed) && !Gzip.isPacked(sample))
            #expect(try Gzip.unpacked(packed, limit: 1_000_000) == sample)
        }
    }

    @Test func severalMembersAreOneText() throws {
        let packed = try Gzip.packed([1, 2]) + Gzip.packed(text) + Gzip.packed([3])
        #expect(try Gzip.unpacked(packed, limit: 1_000_000) == [1, 2] + text + [3])
    }

    @Test func theGzipOfTheSystemIsRead() throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sh", "-c", "printf 'some\\tsales\\n' | gzip -c"]
        process.standardOutput = pipe
        try process.run()
        let packed = try #require(try pipe.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        #expect(try Gzip.unpacked(Array(packed), limit: 100) == Array("some\tsales\n".utf8))
    }

    @Test func whatIsDamagedIsRefused() throws {
        let packed = try Gzip.packed(text)
        for cut in [0, 1, 2, 10, packed.count / 2, packed.count - 8, packed.count - 1] {
            #expect(throws: GzipError.damaged) { try Gzip.unpacked(Array(packed.prefix(cut)), limit: 1_000_000) }
        }
        var flipped = packed
        flipped[packed.count - 6] ^= 1  // the checksum
        #expect(throws: GzipError.damaged) { try Gzip.unpacked(flipped, limit: 1_000_000) }
        #expect(throws: GzipError.damaged) { try Gzip.unpacked(packed + [0, 1, 2], limit: 1_000_000) }
        #expect(throws: GzipError.damaged) { try Gzip.unpacked(Array("plain text".utf8), limit: 100) }
    }

    @Test func nothingGrowsWithoutBounds() throws {
        let bomb = try Gzip.packed([UInt8](repeating: 0, count: 20_000_000))
        #expect(bomb.count < 50_000)
        #expect(throws: GzipError.tooLong) { try Gzip.unpacked(bomb, limit: 1_000_000) }
    }
}
