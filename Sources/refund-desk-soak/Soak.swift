import Foundation
import Simulation

/// Lets many simulated worlds happen and prints figures; or shows by which world each deliberately broken desk is caught.
@main
struct Soak {
    private static let usage = """
        usage: refund-desk-soak [N | FROM..TO] [--chronicle]
               refund-desk-soak canaries [N]

        Lets N simulated worlds happen (1000 without a number) and checks every promise in each; prints figures, and each seed that
        breaks a promise with what came before it, or with the whole history (--chronicle). `canaries` breaks the desk on purpose and
        tells after how many worlds that is seen.
        """

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let plain = words.filter { !$0.hasPrefix("--") }
        if plain.first == "canaries" { return await canaries(plain.dropFirst().first.flatMap(UInt64.init) ?? 500) }
        guard let seeds = seeds(plain.first ?? "1000"), plain.count <= 1, words.allSatisfy({ $0 == "--chronicle" || plain.contains($0) })
        else {
            print(usage)
            exit(2)
        }
        await soak(seeds, printsAll: words.contains("--chronicle"))
    }

    private static func seeds(_ text: String) -> ClosedRange<UInt64>? {
        if let count = UInt64(text), count > 0 { return 1...count }
        let bounds = text.components(separatedBy: "..").compactMap { UInt64($0) }
        return bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]...bounds[1] : nil
    }

    private static func soak(_ seeds: ClosedRange<UInt64>, printsAll: Bool) async {
        let began = Date()
        var figures: [String: Int] = [:]
        var broken = 0
        await simulate(seeds) { report in
            figures["worlds", default: 0] += 1
            figures["steps", default: 0] += report.steps
            for (name, count) in report.counts { figures[name, default: 0] += count }
            if !report.breaches.isEmpty {
                broken += 1
                print(report.description)
            }
            if printsAll { print(report.chronicle.joined(separator: "\n"), "digest: \(report.digest)", separator: "\n") }
            return true
        }
        for (name, count) in figures.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
        print("seconds: \(Int(Date().timeIntervalSince(began).rounded()))")
        print("worlds that broke a promise: \(broken)")
        figures["worlds that broke a promise"] = broken
        tell(figures)
        exit(broken == 0 ? 0 : 1)
    }

    /// As one line of JSON, for whoever collects figures: into the file that REFUND_DESK_FIGURES names, and as the last line.
    private static func tell(_ figures: [String: Int]) {
        let members = figures.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        let line = "{" + members.joined(separator: ", ") + "}"
        print(line)
        guard let file = ProcessInfo.processInfo.environment["REFUND_DESK_FIGURES"] else { return }
        do { try Data((line + "\n").utf8).write(to: URL(filePath: file)) } catch { print("\(file) cannot be written: \(error)") }
    }

    private static func canaries(_ limit: UInt64) async {
        var isBlind = false
        var seen = 0
        for sabotage in Sabotage.allCases {
            var worlds = 0
            var isSeen = false
            await simulate(1...max(limit, 1), sabotage: sabotage) { report in
                worlds += 1
                isSeen = report.breaches.contains { $0.promise == sabotage.promise }
                return !isSeen
            }
            print("\(sabotage.rawValue): \(isSeen ? "seen after \(worlds) worlds" : "NOT SEEN in \(worlds) worlds")")
            isBlind = isBlind || !isSeen
            if isSeen { seen += 1 }
        }
        tell(["canaries": Sabotage.allCases.count, "canaries seen": seen])
        exit(isBlind ? 1 : 0)
    }
}
