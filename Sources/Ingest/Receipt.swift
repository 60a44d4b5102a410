import AppStore
import Domain
import Store

/// What became of a signed message.
package enum Receipt: Sendable, Hashable {
    case accepted
    /// Its identity is known already; nothing was changed.
    case duplicate
    /// Apple signed it, but it is not applied; kept raw and listed.
    case quarantined(QuarantineReason)
}

/// A message that was taken in, or set aside.
package struct ReceivedMessage: Sendable, Hashable {
    package var receipt: Receipt
    /// Where it was put.
    package var ledger: Ledger
    package var transactionID: TransactionID?
}

/// Why a message that Apple signed is not applied.
package enum QuarantineReason: String, Sendable, Hashable, CaseIterable {
    case wrongApp = "wrong-app"
    case wrongEnvironment = "wrong-environment"
    case unattributed
    case innerMismatch = "inner-mismatch"
    case futureDate = "future-date"
}

/// Why a message was not taken in.
package enum IntakeFault: Error {
    /// No such app is configured.
    case unknownApp
    /// It can never be valid: no retry helps.
    case rejected(VerificationError)
    /// Whether its certificates are revoked is not known yet: the sender shall try again.
    case revocationUnknown
    /// Our own fault: the sender shall try again.
    case store(StoreError)
}
