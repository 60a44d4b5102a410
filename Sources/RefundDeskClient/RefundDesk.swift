import Foundation

/// One app on one desk, as a backend calls it.
///
/// ```swift
/// let desk = try RefundDesk(url: URL(string: "https://refunds.example.com")!, app: "acme", token: token)
/// try await desk.recordConsent(of: "u-42", source: "in-app dialog", textVersion: "2026-10")
/// let entitlements = try await desk.entitlements(of: "u-42")
/// ```
///
/// A value of this type is cheap to copy; copies share what keeps consents in order. Each call is tried again where that may help (see
/// ``RetryPolicy``), and throws ``RefundDeskError``, or `CancellationError` where the task was cancelled.
///
/// The token belongs on a server. An app that is given to customers must not hold one: it asks your backend.
public struct RefundDesk: Sendable {
    /// The ledger that is read and written.
    public enum Environment: String, Sendable, Codable {
        case production = "Production"
        case sandbox = "Sandbox"
    }

    let base: URL
    let app: String
    let environment: Environment
    let token: String
    let retries: RetryPolicy
    let transport: any DeskTransport
    let time: any DeskTime
    let order = ConsentOrder()

    /// - Parameters:
    ///   - url: Where the desk is, such as `https://refunds.example.com`. Plain `http` only inside a network of your own: the token is sent.
    ///   - app: The app's `id` in the desk's configuration.
    ///   - token: Made by `refund-desk token create --scope write`. Reading alone needs only `read`.
    ///   - environment: Purchases from TestFlight, App Review and the sandbox stand in the sandbox's ledger.
    ///   - retries: How often and how long apart a call is tried.
    ///   - transport: What sends requests; nil is `URLSession`.
    ///   - time: What tells and waits; for tests.
    /// - Throws: ``RefundDeskError`` with ``RefundDeskError/Code/invalid`` for a URL, an app or a token that cannot be one.
    public init(
        url: URL, app: String, token: String, environment: Environment = .production, retries: RetryPolicy = RetryPolicy(),
        transport: (any DeskTransport)? = nil, time: any DeskTime = SystemDeskTime()
    ) throws {
        guard ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false, url.query == nil, url.fragment == nil else {
            throw RefundDeskError.invalid("url", "must be http or https with a host, such as https://refunds.example.com.")
        }
        guard !app.isEmpty, app.utf8.allSatisfy(isOfAppID) else {
            throw RefundDeskError.invalid("app", "is the app's `id` in the desk's configuration: a-z, 0-9 and -.")
        }
        guard !token.isEmpty, token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw RefundDeskError.invalid("token", "is what `refund-desk token create` printed, without spaces or line ends.")
        }
        base = url
        self.app = app
        self.token = token
        self.environment = environment
        self.retries = retries
        self.transport = transport ?? URLSessionTransport()
        self.time = time
    }
}

/// Neither shows the token: values are printed into logs.
extension RefundDesk: CustomStringConvertible, CustomReflectable {
    public var description: String { "RefundDesk(\(base.absoluteString), app: \(app), \(environment.rawValue))" }
    public var customMirror: Mirror { Mirror(self, children: ["url": base, "app": app, "environment": environment]) }
}

private func isOfAppID(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-")
}
