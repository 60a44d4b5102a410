import Domain
import Glibc
import Testing

/// How long the thread itself was at work: what else the machine does is not counted.
private func processorTime(_ work: () -> Void) -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    work()
    return now() - start
}

/// Ten times the purchases may cost some ten times the time; a quadratic fold would cost a hundred times.
@Test func foldingIsNotQuadratic() {
    func fastest(_ count: Int) -> Duration {
        var told = Told()
        for number in 0..<count {
            let start = day(30 * Int64(number))
            let id = "\(1_000_000 + number)"
            told.tell(period(id, of: "1000000", start, start + .days(30), product: number % 2 == 0 ? "pro" : "max"), at: start)
            told.tell(oneTime("c" + id, "Consumable", start, product: "coins"), at: start)
        }
        let history = History(told.facts)
        let now = day(15 * Int64(count))
        return (0..<3).map { _ in
            processorTime {
                let access = history.access
                #expect(access.entitlements(at: now).count == 1 && access.balances(at: now).count == 1)
                #expect(access.changes(since: access, at: day(0), now: now).count == 1)
            }
        }.min() ?? .zero
    }
    #expect(fastest(10_000) < fastest(1_000) * 40)
}
