/// A purchase that grants units of a meter: a pack of coins, or a period of a subscription with an allowance.
package struct UnitPack: Hashable, Sendable {
    package var transactionID: TransactionID
    package var from: Timestamp
    /// When what is left of it is lost: the end of a period, or a refund; nil for never.
    package var until: Timestamp?
    /// Millionths of units granted, less what was reported as used of this very purchase.
    package var room: Int128

    package init(transactionID: TransactionID, from: Timestamp, until: Timestamp? = nil, room: Int128) {
        self.transactionID = transactionID
        self.from = from
        self.until = until
        self.room = max(room, 0)
    }

    func isOpen(at instant: Timestamp) -> Bool { from <= instant && (until.map { instant < $0 } ?? true) }
}

/// Spreads what was reported for a customer as a whole over the customer's packs: each unit counts for the oldest pack that is not
/// used up at the time. A correction gives back to the pack that was charged last.
package struct PackSpread: Sendable {
    /// Oldest first.
    private let packs: [UnitPack]
    /// Between two of its instants no pack comes or goes. Usage before the first pack counts for none.
    package let intervals: [(from: Timestamp, to: Timestamp)]
    private var charged: [Int128]

    package init(_ packs: [UnitPack]) {
        self.packs = packs.sorted { ($0.from, $0.transactionID) < ($1.from, $1.transactionID) }
        let instants = Set(packs.map(\.from) + packs.compactMap(\.until)).sorted()
        intervals = instants.indices.map { index in
            (from: instants[index], to: index + 1 < instants.count ? instants[index + 1] : Timestamp(milliseconds: .max))
        }
        charged = Array(repeating: 0, count: packs.count)
    }

    /// Charges what was used in one interval; intervals in their order.
    ///
    /// - Parameter millionths: Of units; negative where corrections exceed what was used.
    package mutating func charge(_ millionths: Int64, in interval: (from: Timestamp, to: Timestamp)) {
        let open = packs.indices.filter { packs[$0].isOpen(at: interval.from) }
        var rest = Int128(millionths)
        if rest >= 0 {
            for index in open {
                let taken = min(rest, packs[index].room - charged[index])
                charged[index] += taken
                rest -= taken
            }
        } else {
            for index in open.reversed() {
                let given = min(-rest, charged[index])
                charged[index] -= given
                rest += given
            }
        }
    }

    /// Millionths of units that were charged to a pack.
    package func charged(to id: TransactionID) -> Int128 {
        packs.firstIndex { $0.transactionID == id }.map { charged[$0] } ?? 0
    }
}
