import Crypto
import HTTPServer

/// Up to twenty transactions, and where the next page begins.
struct RevisionPage {
    static let size = 20

    var purchases: [StorePurchase]
    var revision: String
    var hasMore: Bool

    /// - Parameters:
    ///   - revision: From an earlier page; nil begins.
    ///   - date: What orders the list; ties go by id.
    init(
        _ all: [StorePurchase], after revision: String?, isDescending: Bool = false, by date: (StorePurchase) -> Int64
    ) throws(APIError) {
        let position = try revision.map(Position.init(revision:))
        let ordered = all.map { (Position(date: date($0), id: $0.transaction.transactionId), $0) }
            .sorted { isDescending ? $1.0 < $0.0 : $0.0 < $1.0 }
        let rest = ordered.filter { item in position.map { isDescending ? item.0 < $0 : $0 < item.0 } ?? true }
        purchases = rest.prefix(Self.size).map(\.1)
        hasMore = rest.count > Self.size
        self.revision = (rest.prefix(Self.size).last?.0 ?? position ?? Position(date: 0, id: "")).revision
    }
}

/// A place in a list that stays meaningful while the list grows.
private struct Position: Comparable {
    var date: Int64
    var id: String

    init(date: Int64, id: String) {
        self.date = date
        self.id = id
    }

    init(revision: String) throws(APIError) {
        guard let text = Base64.decode(Array(revision.utf8)).map({ String(decoding: $0, as: UTF8.self) }) else { throw .invalidRevision }
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = Int64(parts[0]) else { throw .invalidRevision }
        self.init(date: date, id: String(parts[1]))
    }

    var revision: String { Base64.encode(Array("\(date)_\(id)".utf8)) }

    static func < (a: Position, b: Position) -> Bool { (a.date, a.id) < (b.date, b.id) }
}

/// The parameters of Get Transaction History.
struct TransactionFilter {
    var isDescending = false
    private var start = Int64.min
    private var end = Int64.max
    private var productIDs: [String] = []
    private var types: [String] = []
    private var groups: [String] = []
    private var ownership: String?
    private var isRevoked: Bool?

    init(_ request: HTTPRequest) throws(APIError) {
        for (name, value) in request.query where name != "revision" { try take(name, value) }
        if start > end { throw .startDateAfterEndDate }
    }

    func admits(_ purchase: StorePurchase) -> Bool {
        let transaction = purchase.transaction
        guard (start...end).contains(transaction.purchaseDate) else { return false }
        if !productIDs.isEmpty, !productIDs.contains(transaction.productId) { return false }
        if !types.isEmpty, !types.contains(transaction.type) { return false }
        if !groups.isEmpty, !groups.contains(transaction.subscriptionGroupIdentifier ?? "") { return false }
        if let ownership, transaction.inAppOwnershipType != ownership { return false }
        if let isRevoked, (transaction.revocationDate != nil) != isRevoked { return false }
        return true
    }

    private mutating func take(_ name: String, _ value: String) throws(APIError) {
        switch name {
        case "startDate": start = try Self.date(value, .invalidStartDate)
        case "endDate": end = try Self.date(value, .invalidEndDate)
        case "productId":
            guard !value.isEmpty else { throw .invalidProductID }
            productIDs.append(value)
        case "productType":
            guard let type = Self.types[value] else { throw .invalidProductType }
            types.append(type)
        case "subscriptionGroupIdentifier":
            guard !value.isEmpty else { throw .invalidGroup }
            groups.append(value)
        case "inAppOwnershipType":
            guard value == "PURCHASED" || value == "FAMILY_SHARED" else { throw .invalidOwnershipType }
            ownership = value
        case "sort":
            guard value == "ASCENDING" || value == "DESCENDING" else { throw .invalidSort }
            isDescending = value == "DESCENDING"
        case "revoked":
            guard let flag = Bool(value) else { throw .invalidRevoked }
            isRevoked = flag
        default: throw .malformed
        }
    }

    private static let types = [
        "AUTO_RENEWABLE": "Auto-Renewable Subscription", "NON_RENEWABLE": "Non-Renewing Subscription", "CONSUMABLE": "Consumable",
        "NON_CONSUMABLE": "Non-Consumable",
    ]

    private static func date(_ text: String, _ error: APIError) throws(APIError) -> Int64 {
        guard let date = Int64(text), date >= 0 else { throw error }
        return date
    }
}
