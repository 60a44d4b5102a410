import Foundation

/// What to measure, and with what.
struct Options {
    enum Part: String, CaseIterable {
        case floor, verification, usage, reports, intake, steady, answers, reads, growth, replay, postgres, peer
    }
    static let usage = """
        usage: refund-desk-bench [--only PART,...] [--json] [--quick] [--desk FILE] [--messages N] [--stored N,...]
                                 [--postgres URL] [--peer URL --peer-data FOLDER] [--guard FILE]

        Measures the floor (bare OpenSSL, fsync, SQLite), then the built server as a process of its own, and prints ratios.
        Parts: \(Part.allCases.map(\.rawValue).joined(separator: " "))
        With --guard it fails where a ratio is more than a third above the one that FILE names.
        `postgres` needs the URL of an empty database, `peer` a server that takes the same bodies: `scripts/bench` brings both.
        """

    var parts = Set(Part.allCases)
    var isJSON = false
    var isQuick = false
    var desk = Options.siblingDesk
    /// Notifications in each measurement of intake.
    var messages = 8_000
    /// How many notifications lie in the database when its growth is measured.
    var stored = [1_000_000]
    var postgres: String?
    var peer: String?
    /// Where the App Store's root is put for the peer, and where it finds out whom it serves.
    var peerData: String?
    /// Ratios that are not to grow by more than a third.
    var guardFile: String?
    var isHelp = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--quick": isQuick = true
            case "--help": isHelp = true
            default: try take(argument, rest.popFirst())
            }
        }
        if isQuick {
            messages = min(messages, 2_000)
            stored = stored.map { min($0, 20_000) }
        }
    }

    private mutating func take(_ name: String, _ value: String?) throws {
        guard let value else { throw BenchFault("\(name): a value is missing, or it is no option\n\(Options.usage)") }
        switch name {
        case "--only": parts = try Set(value.split(separator: ",").map { try Options.part(String($0)) })
        case "--desk": desk = value
        case "--messages": messages = try Options.number(value)
        case "--stored": stored = try value.split(separator: ",").map { try Options.number(String($0)) }
        case "--postgres": postgres = value
        case "--peer": peer = value
        case "--guard": guardFile = value
        case "--peer-data": peerData = value
        default: throw BenchFault("\(name) is no option\n\(Options.usage)")
        }
    }

    private static func part(_ name: String) throws -> Part {
        guard let part = Part(rawValue: name) else { throw BenchFault("\(name) is no part\n\(usage)") }
        return part
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0 else { throw BenchFault("\(text) is no number above zero") }
        return number
    }

    /// The server that was built beside this command.
    private static var siblingDesk: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "refund-desk").path(percentEncoded: false)
    }
}

struct BenchFault: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
