import Foundation

/// Measures the floor and the product in one run, and prints ratios: machines differ and are noisy, ratios last.
@main
struct Bench {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            guard !options.isHelp else { return print(Options.usage) }
            let report = Report()
            try await measure(options, report)
            options.isJSON ? report.printJSON() : report.printText()
            if let file = options.guardFile { try SpeedGuard(file: file).check(report) }
        } catch {
            FileHandle.standardError.write(Data("refund-desk-bench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure(_ options: Options, _ report: Report) async throws {
        let parts = options.parts
        report.note("machine", Machine.description)
        let sample = try Sample(count: options.messages)
        defer { sample.remove() }
        report.note("message", "\(sample.bodyByteCount) bytes, three JWS")
        try VerificationBench(sample: sample, rounds: options.isQuick ? 400 : 3_000).run(
            report, isFloorOnly: !parts.contains(.verification))
        if parts.contains(.floor) { try DiskBench(rows: options.isQuick ? 200 : 1_000).run(report) }
        if parts.contains(.usage) { try await UsageBench(events: options.isQuick ? 50_000 : 1_000_000).run(report) }
        if parts.contains(.reports) {
            try await ReportsBench(cases: options.isQuick ? 500_000 : 10_000_000, postgres: parts == [.reports] ? options.postgres : nil)
                .run(report)
        }
        if parts.contains(.intake) { try await IntakeBench(options: options, sample: sample).run(report) }
        if parts.contains(.steady) { try await SteadyBench(options: options, sample: sample).run(report) }
        if parts.contains(.answers) { try await AnswerBench(options: options, requests: options.isQuick ? 200 : 1_000).run(report) }
        if parts.contains(.reads) || parts.contains(.growth) || parts.contains(.replay) {
            try await GrowthBench(options: options, sample: sample).run(report)
        }
        if parts.contains(.postgres), options.postgres != nil { try await PostgresBench(options: options, sample: sample).run(report) }
        if parts.contains(.peer), options.peer != nil { try await PeerBench(options: options, sample: sample).run(report) }
    }
}

/// What the figures were measured on.
enum Machine {
    static var description: String {
        let model = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last.map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        return "\(model ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}
