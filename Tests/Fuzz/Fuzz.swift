import Foundation

/// Feeds a part of the desk with inputs that libFuzzer makes up, until one breaks what must hold. Built and run by `scripts/fuzz`.
///
/// usage: refund-desk-fuzz list | seeds TARGET FOLDER | run TARGET [libFuzzer's own arguments...]
@main enum Fuzz {
    static func main() throws {
        let words = CommandLine.arguments
        switch words.dropFirst().first {
        case "list": for target in FuzzTarget.all { print(target.name) }
        case "seeds" where words.count == 4: try writeSeeds(of: named(words[2]), into: words[3])
        case "run" where words.count > 2: run(named(words[2]), [words[0]] + words.dropFirst(3))
        default: fatalError("usage: refund-desk-fuzz list | seeds TARGET FOLDER | run TARGET [ARGUMENT...]")
        }
    }

    private static func named(_ name: String) -> FuzzTarget {
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { fatalError("there is no target \(name)") }
        return target
    }

    private static func writeSeeds(of target: FuzzTarget, into folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (number, seed) in target.seeds().enumerated() {
            try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(number)"))
        }
    }

    private static func run(_ target: FuzzTarget, _ arguments: [String]) -> Never {
        chosen = target.makeTest()
        var count = Int32(arguments.count)
        var texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { texts?[index] = strdup(argument) }
        texts?[arguments.count] = nil
        exit(runDriver(&count, &texts, testOneInput))
    }

    /// Set once before the one thread that uses it begins.
    nonisolated(unsafe) fileprivate static var chosen: ([UInt8]) -> Void = { _ in }
}

/// The name that libFuzzer's own `main` links with, though it is not the one that runs.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    Fuzz.chosen(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// What is fuzzed: a part of the desk and what must hold of it for any input.
struct FuzzTarget: Sendable {
    var name: String
    /// Inputs to begin with: Apple's own where they are at hand, and a few small ones.
    var seeds: @Sendable () -> [[UInt8]]
    /// Makes what is needed once; the test traps where the input breaks a rule.
    var makeTest: @Sendable () -> ([UInt8]) -> Void

    static let all = [
        message, jws, payload, json5, configuration, policy, request, requestTarget, encodings, certificate, ocsp, text, sales,
    ]
}

/// Files of the folder that REFUND_DESK_SHARED names, below `vectors`; none where it is missing.
func vectors(_ folder: String) -> [[UInt8]] {
    guard let shared = ProcessInfo.processInfo.environment["REFUND_DESK_SHARED"] else { return [] }
    let path = "\(shared)/vectors/\(folder)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().compactMap { try? Array(Data(contentsOf: URL(filePath: "\(path)/\($0)"))) }
}

func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

/// Blocks until the work is done: libFuzzer's callback knows no tasks.
func waiting<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Result>()
    Task {
        box.value = await work()
        done.signal()
    }
    done.wait()
    guard let value = box.value else { preconditionFailure("set before the signal") }
    return value
}

/// `@unchecked Sendable`: written before the semaphore's signal, read after.
private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}
