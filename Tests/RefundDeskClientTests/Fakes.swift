import Foundation

@testable import RefundDeskClient

let url = URL(string: "https://refunds.example.com")!

/// Answers what it is told to, one after the other, and the last one for ever; keeps what it was sent.
actor FakeTransport: DeskTransport {
    enum Reply: Sendable {
        case answer(TransportResponse)
        case failure
    }
    private var replies: [Reply]
    private var gate: [CheckedContinuation<Void, Never>] = []
    private var isHeld = false
    private(set) var requests: [TransportRequest] = []
    private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ replies: Reply...) { self.replies = replies }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.append(request)
        let due = arrivals.filter { $0.count <= requests.count }
        arrivals.removeAll { $0.count <= requests.count }
        for each in due { each.continuation.resume() }
        let reply = replies.count > 1 ? replies.removeFirst() : replies[0]
        if isHeld { await withCheckedContinuation { gate.append($0) } }
        switch reply {
        case .answer(let answer): return answer
        case .failure: throw URLError(.timedOut)
        }
    }

    /// From now on requests wait for ``open()``.
    func hold() { isHeld = true }

    func open() {
        isHeld = false
        for each in gate { each.resume() }
        gate = []
    }

    /// Returns once so many requests have come.
    func arrived(_ count: Int) async {
        if requests.count >= count { return }
        await withCheckedContinuation { arrivals.append((count, $0)) }
    }
}

extension FakeTransport.Reply {
    static func json(_ status: Int, _ text: String, _ headers: [String: String] = [:]) -> Self {
        .answer(TransportResponse(status: status, headers: headers, body: Data(text.utf8)))
    }
    static func problem(_ status: Int, _ code: String, field: String? = nil, _ headers: [String: String] = [:]) -> Self {
        let member = field.map { #","field":"\#($0)""# } ?? ""
        return json(
            status, #"{"type":"about:blank","title":"x","status":\#(status),"code":"\#(code)","detail":"Do that."\#(member)}"#, headers)
    }
    static let consent = json(200, #"{"at":1000,"consented":true,"source":"s","textVersion":null,"auditHash":"ab"}"#)
    static func accepted(_ count: Int, duplicates: Int = 0) -> Self {
        json(202, #"{"accepted":\#(count),"duplicates":\#(duplicates)}"#)
    }
}

/// Stands still but for sleeps, which end at once or when they are let go; draws what it is told.
actor FakeTime: DeskTime {
    nonisolated let instant: Date
    nonisolated let drawn: Double
    private let endsSleeps: Bool
    private(set) var slept: [TimeInterval] = []
    private var sleepers: [Int: CheckedContinuation<Void, Never>] = [:]

    init(at instant: Date = Date(timeIntervalSince1970: 1_800_000_000), drawing drawn: Double = 1, endsSleeps: Bool = true) {
        self.instant = instant
        self.drawn = drawn
        self.endsSleeps = endsSleeps
    }

    nonisolated func now() -> Date { instant }
    nonisolated func draw() -> Double { drawn }

    func sleep(seconds: TimeInterval) async throws {
        slept.append(seconds)
        let number = slept.count
        if !endsSleeps {
            await withTaskCancellationHandler {
                await withCheckedContinuation { sleepers[number] = $0 }
            } onCancel: {
                Task { await self.letGo(number) }
            }
        }
        try Task.checkCancellation()
    }

    /// Ends all sleeps.
    func letGo() { for number in sleepers.keys { letGo(number) } }

    private func letGo(_ number: Int) { sleepers.removeValue(forKey: number)?.resume() }
}

func desk(
    _ transport: FakeTransport, _ time: FakeTime = FakeTime(), environment: RefundDesk.Environment = .production,
    retries: RetryPolicy = RetryPolicy()
) throws -> RefundDesk {
    try RefundDesk(url: url, app: "acme", token: "secret", environment: environment, retries: retries, transport: transport, time: time)
}

func failure<Value>(of call: () async throws -> Value) async -> RefundDeskError? {
    do {
        _ = try await call()
        return nil
    } catch { return error as? RefundDeskError }
}
