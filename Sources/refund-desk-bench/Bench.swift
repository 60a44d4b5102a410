import Foundation

/// Measures the floor and the product in one run, and prints ratios: machines differ and are noisy, ratios last.
@main
struct Bench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") {
            print(
                "usage: refund-desk-bench [--json] [--quick]\n\nMeasures bare OpenSSL, fsync and SQLite, then verification, sums of usage, intake and answers."
            )
            return
        }
        let isQuick = arguments.contains("--quick")
        let report = Report()
        report.note("machine", Machine.description)
        let sample = try Sample(count: isQuick ? 600 : 4_000)
        report.note("message", "\(sample.bodyByteCount) bytes, three JWS")
        try VerificationBench(sample: sample, rounds: isQuick ? 400 : 3_000).run(report)
        try DiskBench(rows: isQuick ? 200 : 1_000).run(report)
        try await UsageBench(events: isQuick ? 50_000 : 1_000_000).run(report)
        try await IntakeBench(sample: sample).run(report)
        try await AnswerBench(requests: isQuick ? 200 : 1_000).run(report)
        arguments.contains("--json") ? report.printJSON() : report.printText()
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
