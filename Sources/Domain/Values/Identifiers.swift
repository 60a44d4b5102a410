/// An identifier that is text on the wire and stays byte for byte what it was.
package protocol Identifier: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible where RawValue == String {
    init(rawValue: String)
}
extension Identifier {
    package init(_ text: String) { self.init(rawValue: text) }
    package var description: String { rawValue }
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The owner's name for an app in this desk: `a-z 0-9 -`, used in URLs.
package struct AppID: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Apple's `transactionId` or `originalTransactionId`: digits of up to twenty places, kept as text.
package struct TransactionID: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Apple's `appTransactionId`: one Apple account in one app; family members have their own.
package struct AppTransactionID: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// The UUID the developer's app set for its own account; lower case here, since Swift prints upper case and Apple lower.
package struct AppAccountToken: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue.lowercased() }

    /// The token in Apple's field; nil where Apple sent none or empty text.
    package init?(wire text: String?) {
        guard let text, !text.isEmpty else { return nil }
        self.init(rawValue: text)
    }

    /// Whether text has the shape of a UUID, in either case.
    package static func looksLikeUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: Character(UnicodeScalar(byte)).isHexDigit
            }
        }
    }
}

/// The owner's own id of a customer, linked by the owner's backend.
package struct UserID: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

package struct ProductID: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Identity of a notification: never its bytes, since a signature can be written in more than one way.
package struct NotificationUUID: Identifier {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
