import Domain
import Ingest
import Store

/// Where signed facts go in. Returns only after the commit.
package protocol SignedFactIntake: Sendable {
    /// The whole body of a notification.
    func receiveNotification(_ body: [UInt8], postedTo app: AppID, source: LogEntry.Source) async throws(IntakeFault) -> Receipt
    /// A transaction by itself, as a compact JWS.
    func receiveTransaction(_ jws: String, postedTo app: AppID, source: LogEntry.Source) async throws(IntakeFault) -> Receipt
}

extension Intake: SignedFactIntake {}
