import Foundation

/// Gathers figures with what they are compared with.
final class Report {
    private struct Figure: Encodable {
        var name: String
        var value: Double
        var unit: String
        /// The figure of the same run it is compared with, and how many times that it is.
        var comparedWith: String?
        var ratio: Double?
    }
    private struct Document: Encodable {
        var notes: [String: String]
        var figures: [Figure]
    }
    private var notes: [(String, String)] = []
    private var figures: [Figure] = []

    func note(_ name: String, _ text: String) { notes.append((name, text)) }

    func add(_ name: String, _ value: Double, _ unit: String, comparedWith other: String? = nil, _ otherValue: Double? = nil) {
        figures.append(Figure(name: name, value: value, unit: unit, comparedWith: other, ratio: otherValue.map { value / $0 }))
    }

    func printText() {
        for (name, text) in notes { print("\(name): \(text)") }
        for figure in figures {
            var line = "\(figure.name): \(Report.text(figure.value)) \(figure.unit)"
            if let other = figure.comparedWith, let ratio = figure.ratio { line += "  = \(Report.text(ratio)) x \(other)" }
            print(line)
        }
    }

    func printJSON() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(notes: Dictionary(notes, uniquingKeysWith: { first, _ in first }), figures: figures)
        if let data = try? encoder.encode(document) { print(String(decoding: data, as: UTF8.self)) }
    }

    private static func text(_ value: Double) -> String { String(format: value < 10 ? "%.3f" : value < 1_000 ? "%.1f" : "%.0f", value) }
}

/// Seconds on the clock that a body takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now).seconds
}

/// Seconds of this thread's processor time that a body takes: what other programs do meanwhile hardly counts.
func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    let start = threadTime()
    try body()
    return threadTime() - start
}

private func threadTime() -> Double {
    var instant = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &instant)
    return Double(instant.tv_sec) + Double(instant.tv_nsec) * 1e-9
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension [Double] {
    /// The value below which that share of the values lies; 0 of none.
    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
