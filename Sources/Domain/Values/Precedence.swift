/// Which of two signed copies of the same thing is the newer: later `signedDate`, then the greater `notificationUUID`
/// (facts without one count as empty text), then the greater SHA-256 of the payload.
///
/// A total order on distinct copies, so merging gives one result whatever the order of arrival.
package struct Precedence: Hashable, Comparable, Sendable {
    package var signedDate: Timestamp
    package var notificationUUID: String
    package var payloadSHA256: [UInt8]

    package init(signedDate: Timestamp, notificationUUID: String, payloadSHA256: [UInt8]) {
        self.signedDate = signedDate
        self.notificationUUID = notificationUUID
        self.payloadSHA256 = payloadSHA256
    }

    package static func < (a: Precedence, b: Precedence) -> Bool {
        if a.signedDate != b.signedDate { return a.signedDate < b.signedDate }
        if a.notificationUUID != b.notificationUUID { return a.notificationUUID < b.notificationUUID }
        return a.payloadSHA256.lexicographicallyPrecedes(b.payloadSHA256)
    }
}

/// A value with the precedence of the signed payload it came from.
package struct Snapshot<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    package var precedence: Precedence

    package init(_ value: Value, _ precedence: Precedence) {
        self.value = value
        self.precedence = precedence
    }

    /// Keeps the newer of the two. Tells whether that changed anything.
    package mutating func merge(_ other: Snapshot) -> Bool {
        guard precedence < other.precedence else { return false }
        self = other
        return true
    }
}
