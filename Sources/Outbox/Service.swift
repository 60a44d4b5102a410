/// A long-running part: `run` returns when its task is cancelled and what it began is finished.
package protocol Service: Sendable {
    var name: String { get }
    func run() async throws
}
