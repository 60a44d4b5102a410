import Foundation

/// What tells the time, waits and draws; replaced in tests.
public protocol DeskTime: Sendable {
    func now() -> Date
    /// - Throws: `CancellationError` once the task is cancelled.
    func sleep(seconds: TimeInterval) async throws
    /// A number between 0 and 1, for the jitter of waits.
    func draw() -> Double
}

/// The system's clock.
public struct SystemDeskTime: DeskTime {
    public init() {}
    public func now() -> Date { Date() }
    public func sleep(seconds: TimeInterval) async throws {
        try await Task.sleep(nanoseconds: UInt64(min(max(0, seconds), 86_400) * 1_000_000_000))
    }
    public func draw() -> Double { Double.random(in: 0...1) }
}
