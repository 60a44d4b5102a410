import Synchronization

/// What the desk counts, for `/metrics`. Names are stable; labels carry no personal data.
package final class Metrics: Sendable {
    package struct Key: Hashable, Sendable, Comparable {
        package var name: String
        /// In a fixed order.
        package var labels: [String]

        package init(name: String, labels: [String]) {
            self.name = name
            self.labels = labels
        }

        package static func < (a: Key, b: Key) -> Bool {
            (a.name, a.labels.joined(separator: ",")) < (b.name, b.labels.joined(separator: ","))
        }
    }
    private let counts = Mutex<[Key: Int64]>([:])
    private let gauges = Mutex<[Key: @Sendable () -> Int64?]>([:])

    package init() {}

    /// - Parameter labels: As `name="value"`; values are from closed sets of the program's own.
    package func count(_ name: String, _ labels: String..., by amount: Int64 = 1) {
        counts.withLock { $0[Key(name: name, labels: labels), default: 0] += amount }
    }

    /// Shows a value that goes up and down, as it is when it is asked for; nothing where it is nil.
    package func gauge(_ name: String, _ labels: String..., value: @escaping @Sendable () -> Int64?) {
        gauges.withLock { $0[Key(name: name, labels: labels)] = value }
    }

    /// Shows a value as it was measured last.
    package func set(_ name: String, _ labels: String..., to level: Int64) {
        gauges.withLock { $0[Key(name: name, labels: labels)] = { level } }
    }

    /// All gauges that have a value now, in order.
    package var gaugeSnapshot: [(key: Key, value: Int64)] {
        let gauges = gauges.withLock { $0 }
        return gauges.sorted { $0.key < $1.key }.compactMap { key, read in read().map { (key: key, value: $0) } }
    }

    /// All counters, in order.
    package var snapshot: [(key: Key, value: Int64)] {
        counts.withLock { counts in counts.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) } }
    }
}
