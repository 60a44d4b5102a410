/// The one door to the clock: the server passes the system's, tests and simulations a virtual one. Nothing in the domain asks for it.
package protocol Time: Sendable {
    func now() -> Timestamp
    /// Returns at the instant, or throws where the task is cancelled.
    func sleep(until instant: Timestamp) async throws
}
