import Foundation

/// Proves that a webhook comes from the desk, and reads it.
///
/// ```swift
/// let verifier = try WebhookVerifier(secret: "whsec_…")
/// let event = try verifier.verify(headers: request.headers, body: request.body)   // the bytes as they came
/// ```
///
/// Answer 2xx once the event is stored, 400 where this throws, 5xx for faults of your own: the desk then comes again with the same id and
/// body.
/// - Source: Standard Webhooks 1.0.
public struct WebhookVerifier: Sendable {
    private let keys: [[UInt8]]
    private let tolerance: TimeInterval
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - secret: As in the desk's configuration, `whsec_` with it.
    ///   - more: Others that count too, while one is being replaced.
    ///   - tolerance: How far the timestamp may be from now, in seconds, either way.
    ///   - now: The clock; for tests.
    /// - Throws: ``WebhookError/badSecret``.
    public init(
        secret: String, _ more: String..., tolerance: TimeInterval = 300, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(WebhookError) {
        var keys: [[UInt8]] = []
        for text in [secret] + more { keys.append(try WebhookVerifier.key(text)) }
        self.keys = keys
        self.tolerance = tolerance
        self.now = now
    }

    /// - Parameters:
    ///   - headers: All of the request's; the case of names does not matter.
    ///   - body: The bytes as they came. JSON that was read and written again has another signature.
    /// - Throws: ``WebhookError``.
    public func verify(headers: [String: String], body: Data) throws(WebhookError) -> WebhookEvent {
        func header(_ name: String) throws(WebhookError) -> String {
            guard let value = headers.first(where: { $0.key.lowercased() == name })?.value else { throw .missingHeader(name) }
            return value
        }
        return try verify(
            id: try header("webhook-id"), timestamp: try header("webhook-timestamp"), signature: try header("webhook-signature"), body: body
        )
    }

    /// By the values of the three headers.
    public func verify(id: String, timestamp: String, signature: String, body: Data) throws(WebhookError) -> WebhookEvent {
        guard let seconds = Int64(timestamp) else { throw .badTimestamp }
        guard abs(TimeInterval(seconds) - now().timeIntervalSince1970) <= tolerance else { throw .outsideTolerance }
        let signed = Array("\(id).\(timestamp).".utf8) + body
        // All are compared, so that the time tells nothing about which one fits.
        let expected = keys.map { hmacSHA256(signed, key: $0) }
        let given = signature.split(separator: " ").compactMap(WebhookVerifier.signature)
        let fits = expected.reduce(false) { found, own in given.reduce(found) { isSameInConstantTime(own, $1) || $0 } }
        guard fits else { throw .badSignature }
        return try WebhookEvent(body, id: id)
    }

    private static func key(_ secret: String) throws(WebhookError) -> [UInt8] {
        guard secret.hasPrefix("whsec_"), let key = Data(base64Encoded: String(secret.dropFirst(6))), 24...64 ~= key.count else {
            throw .badSecret
        }
        return Array(key)
    }

    /// Of version 1; others are for other receivers.
    private static func signature(_ text: Substring) -> [UInt8]? {
        guard text.hasPrefix("v1,") else { return nil }
        return Data(base64Encoded: String(text.dropFirst(3))).map(Array.init)
    }
}

/// Neither shows the secrets: values are printed into logs.
extension WebhookVerifier: CustomStringConvertible, CustomReflectable {
    public var description: String { "WebhookVerifier(\(keys.count) secrets)" }
    public var customMirror: Mirror { Mirror(self, children: ["tolerance": tolerance]) }
}

/// Why a webhook is not to be believed. None is mended by trying again with the same request.
public enum WebhookError: Error, Sendable, Equatable {
    /// The secret is not `whsec_` and 24 to 64 bytes in base64.
    case badSecret
    case missingHeader(String)
    /// The timestamp is no number.
    case badTimestamp
    /// None of the signatures fits: another secret, a changed body, or not the desk.
    case badSignature
    /// Sent too long ago, or in the future: a repeat by somebody else, or a wrong clock.
    case outsideTolerance
    /// Signed by the desk, but not an event that this version can read.
    case unreadable
}
