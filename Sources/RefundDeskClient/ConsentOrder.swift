/// Keeps words about one customer's consent in order: a yes that is being tried again must not arrive after a later no.
///
/// Per name there is at most one attempt on its way, and only the newest word is attempted.
actor ConsentOrder {
    private struct Lane {
        /// The newest word's ticket.
        var newest = 0
        var isBusy = false
        /// Calls that have not left; the lane goes with the last.
        var calls = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private var lanes: [String: Lane] = [:]

    /// Begins a word. Every ``enter(_:)`` has its ``leave(_:)``.
    func enter(_ name: String) -> Int {
        lanes[name, default: Lane()].calls += 1
        lanes[name, default: Lane()].newest += 1
        return lanes[name]?.newest ?? 0
    }

    func leave(_ name: String) {
        lanes[name]?.calls -= 1
        if lanes[name]?.calls == 0 { lanes[name] = nil }
    }

    /// Makes one attempt once no other is on its way.
    ///
    /// - Throws: ``RefundDeskError`` with ``RefundDeskError/Code/superseded`` where a newer word has begun.
    func run(_ name: String, ticket: Int, _ attempt: @Sendable () async throws -> TransportResponse) async throws -> TransportResponse {
        while lanes[name]?.isBusy == true {
            await withCheckedContinuation { lanes[name]?.waiting.append($0) }
        }
        guard lanes[name]?.newest == ticket else { throw RefundDeskError.superseded }
        lanes[name]?.isBusy = true
        defer { release(name) }
        return try await attempt()
    }

    private func release(_ name: String) {
        let waiting = lanes[name]?.waiting ?? []
        lanes[name]?.isBusy = false
        lanes[name]?.waiting = []
        for each in waiting { each.resume() }
    }
}
