import Foundation

/// Gathers figures with what they are compared with.
final class Report {
    private struct Figure {
        var name: String
        var value: Double
        var unit: String
        /// Figures of the same run, by the names they were kept under.
        var comparedWith: [String]
    }
    private var notes: [(String, String)] = []
    private var figures: [Figure] = []
    private var kept: [String: Double] = [:]

    func note(_ name: String, _ text: String) { notes.append((name, text)) }

    /// - Parameters:
    ///   - key: Under which others are compared with it; measured before or after them.
    ///   - others: Such keys; what was not measured in this run is left out.
    func add(_ name: String, _ value: Double, _ unit: String, as key: String? = nil, comparedWith others: [String] = []) {
        if let key { kept[key] = value }
        figures.append(Figure(name: name, value: value, unit: unit, comparedWith: others))
    }

    func printText() {
        for (name, text) in notes { print("\(name): \(text)") }
        for figure in figures {
            let ratios = ratios(of: figure).map { "  = \(Report.text($0.ratio)) x \($0.name)" }
            print("\(figure.name): \(Report.text(figure.value)) \(figure.unit)" + ratios.joined())
        }
    }

    func printJSON() {
        let document: [String: Any] = [
            "notes": Dictionary(notes, uniquingKeysWith: { first, _ in first }),
            "figures": figures.map { figure -> [String: Any] in
                let ratios = ratios(of: figure).map { ($0.name, $0.ratio) }
                return [
                    "name": figure.name, "value": figure.value, "unit": figure.unit,
                    "ratios": Dictionary(ratios, uniquingKeysWith: { first, _ in first }),
                ]
            },
        ]
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: document, options: options) else { return }
        print(String(decoding: data, as: UTF8.self))
    }

    /// nil where it was not measured in this run.
    func ratio(of name: String, to key: String) -> Double? {
        figures.first { $0.name == name }.flatMap { figure in kept[key].map { figure.value / $0 } }
    }

    private func ratios(of figure: Figure) -> [(name: String, ratio: Double)] {
        figure.comparedWith.compactMap { key in kept[key].map { (key, figure.value / $0) } }
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
