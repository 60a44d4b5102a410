/// Keeps words about one customer's consent in order: a yes that is being tried again must not arrive after a later no.
///
/// Per name there is at most one attempt on its way. A no goes on until a later word was accepted, for that one may yet fail. A yes gives up
/// as soon as a later no has begun, whatever becomes of it: the desk may have taken the no though its answer was lost.
actor ConsentOrder {
    /// One call's word about one name.
    struct Word: Sendable {
        let name: String
        let consented: Bool
        fileprivate let ticket: Int
    }

    private struct Lane {
        /// Tickets: the last given out, the newest no's, and the newest word's that the desk took.
        var last = 0
        var newestNo = 0
        var newestAccepted = 0
        var isBusy = false
        /// Calls that have not left; the lane goes with the last.
        var calls = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private var lanes: [String: Lane] = [:]

    /// Begins a word. Every ``enter(_:)`` has its ``leave(_:)``.
    func enter(_ name: String, consented: Bool) -> Word {
        var lane = lanes[name] ?? Lane()
        lane.calls += 1
        lane.last += 1
        if !consented { lane.newestNo = lane.last }
        lanes[name] = lane
        return Word(name: name, consented: consented, ticket: lane.last)
    }

    func leave(_ word: Word) {
        lanes[word.name]?.calls -= 1
        if lanes[word.name]?.calls == 0 { lanes[word.name] = nil }
    }

    /// Makes one attempt once no other is on its way.
    ///
    /// - Throws: ``RefundDeskError`` with ``RefundDeskError/Code/superseded`` where a later word stands in its way.
    func run(_ word: Word, _ attempt: @Sendable () async throws -> TransportResponse) async throws -> TransportResponse {
        while lanes[word.name]?.isBusy == true {
            await withCheckedContinuation { lanes[word.name]?.waiting.append($0) }
        }
        guard let lane = lanes[word.name], lane.newestAccepted < word.ticket, !word.consented || lane.newestNo < word.ticket else {
            throw RefundDeskError.superseded
        }
        lanes[word.name]?.isBusy = true
        defer { release(word.name) }
        let answer = try await attempt()
        if (200..<300).contains(answer.status) { lanes[word.name]?.newestAccepted = word.ticket }
        return answer
    }

    private func release(_ name: String) {
        let waiting = lanes[name]?.waiting ?? []
        lanes[name]?.isBusy = false
        lanes[name]?.waiting = []
        for each in waiting { each.resume() }
    }
}
