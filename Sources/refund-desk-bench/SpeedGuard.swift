import Foundation

/// Ratios that must not grow by more than a third: of processor times within one run, so that a slow or busy machine does not matter.
struct SpeedGuard {
    private struct Expectation: Decodable {
        var figure: String
        var comparedWith: String
        /// As it was measured when it was last looked at.
        var ratio: Double
    }
    private static let tolerance = 4.0 / 3
    private let expectations: [Expectation]

    init(file: String) throws {
        expectations = try JSONDecoder().decode([Expectation].self, from: Data(contentsOf: URL(filePath: file)))
    }

    /// - Throws: A line per ratio that is too high, or could not be measured.
    func check(_ report: Report) throws {
        let faults = expectations.compactMap { expected -> String? in
            guard let ratio = report.ratio(of: expected.figure, to: expected.comparedWith) else {
                return "\(expected.figure): was not measured"
            }
            guard ratio > expected.ratio * Self.tolerance else { return nil }
            return String(
                format: "%@: %.2f x %@, but %.2f is usual: more than a third slower", expected.figure, ratio, expected.comparedWith,
                expected.ratio)
        }
        guard faults.isEmpty else { throw BenchFault(faults.joined(separator: "\n")) }
    }
}
