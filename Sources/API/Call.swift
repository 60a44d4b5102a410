import Domain
import HTTPServer
import Ingest
import Store

/// One authorized request with what its path says, and the ways to read it.
struct Call: Sendable {
    var request: HTTPRequest
    /// By the names in the route's path.
    var parameters: [String: String]
    var apps: AppDirectory
    /// The instant of the request.
    var now: Timestamp
    /// The name of the token; nil where none is needed.
    var actor: String?
}

extension Call {
    /// Of a name, a cursor or a filter, in characters.
    static let longestName = 256
    static let longestTransactionID = 64

    func app() throws(Problem) -> AppSettings {
        guard let app = apps[AppID(parameters["app"] ?? "")] else { throw .unknownApp }
        return app
    }

    /// The ledger of the path's app that `?environment=` selects; Production without it.
    func ledger() throws(Problem) -> Ledger {
        let app = try app()
        return Ledger(app: app.id, environment: try choice("environment", of: Environment.self) ?? .production)
    }

    /// A name in the path: a customer's, a transaction's.
    func name(_ parameter: String) throws(Problem) -> String {
        try bounded(parameters[parameter] ?? "", parameter, atMost: Call.longestName)
    }

    func transactionID(_ parameter: String = "transactionId") throws(Problem) -> TransactionID {
        TransactionID(try bounded(parameters[parameter] ?? "", parameter, atMost: Call.longestTransactionID))
    }

    /// A customer's name as facts are kept under it: a UUID is an `appAccountToken`, in lower case.
    func ref() throws(Problem) -> String { normalizedRef(try name("ref")) }

    /// - Source: Lists take 1 to 200 items, 50 by default.
    func page() throws(Problem) -> PageRequest {
        var page = PageRequest()
        if let text = request.query("limit") {
            guard let limit = Int(text), (1...200).contains(limit) else { throw .invalid("limit", "must be a whole number from 1 to 200.") }
            page.limit = limit
        }
        if let cursor = request.query("cursor") {
            page.cursor = try bounded(cursor, "cursor", atMost: Call.longestName)
        }
        return page
    }

    /// A query parameter that takes one of a few words; nil where it is left out.
    func choice<Word: RawRepresentable & CaseIterable>(_ name: String, of: Word.Type) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let text = request.query(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw .invalid(name, "must be one of: \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return word
    }

    /// A query parameter that is `true` or `false`; false where it is left out.
    func flag(_ name: String) throws(Problem) -> Bool {
        guard let text = request.query(name) else { return false }
        guard let value = Bool(text) else { throw .invalid(name, "must be true or false.") }
        return value
    }

    /// A query parameter that is free text; nil where it is left out.
    func text(_ name: String) throws(Problem) -> String? {
        guard let text = request.query(name) else { return nil }
        return try bounded(text, name, atMost: Call.longestName)
    }

    /// A query parameter that is an instant; nil where it is left out.
    func instant(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = request.query(name) else { return nil }
        guard let instant = Int64(text).flatMap(Timestamp.init(plausible:)) else { throw .invalid(name, Timestamp.plausibleText) }
        return instant
    }
}

/// Text that may be kept: not empty, not too long, no control characters.
///
/// - Parameter limit: In characters as JSON Schema counts them, that is Unicode scalars.
func bounded(_ text: String, _ field: String, atMost limit: Int) throws(Problem) -> String {
    guard !text.isEmpty else { throw .invalid(field, "must not be empty.") }
    guard text.unicodeScalars.count <= limit else { throw .invalid(field, "must not be longer than \(limit) characters.") }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .invalid(field, "must not hold control characters.") }
    return text
}
