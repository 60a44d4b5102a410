import Foundation
import Simulation

// usage: refund-desk-soak [N | FROM..TO]
let argument = CommandLine.arguments.dropFirst().first ?? "1000"
let bounds = argument.components(separatedBy: "..").compactMap { UInt64($0) }
guard (1...2).contains(bounds.count), bounds.last ?? 0 >= (bounds.count == 2 ? bounds[0] : 1) else {
    print("usage: refund-desk-soak [N | FROM..TO]\n\nLets that many simulated worlds happen and checks every promise in each.")
    exit(2)
}
let seeds = bounds.count == 2 ? bounds[0]...bounds[1] : 1...bounds[0]
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
    return true
}
for (name, count) in figures.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
print(String(format: "seconds: %.1f", Date().timeIntervalSince(began)))
print("worlds with a broken promise: \(broken)")
exit(broken == 0 ? 0 : 1)
