import AppStoreSimulator
import Domain
import Foundation
import Store

/// `demo`: desk and simulator in one process, on a temporary folder that goes when it ends.
package struct DemoTask: Sendable {
    let listen: String?
    /// How many times as fast as usual live traffic comes.
    let speed: Int64

    package init(listen: String?, speed: Int64) {
        self.listen = listen
        self.speed = speed
    }

    package func run(_ console: Console) async throws -> ExitCode {
        throw CommandFault("not ready")
    }
}
