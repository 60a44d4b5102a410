import Synchronization

final class Counter: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    var value: Int { count.withLock { $0 } }
}

final class Numbers: Sendable {
    private let kept = Mutex<[Int64]>([])
    func add(_ number: Int64) { kept.withLock { $0.append(number) } }
    var sorted: [Int64] { kept.withLock { $0.sorted() } }
}
