import Domain

/// What a path of the dashboard's names.
enum Place: Sendable, Hashable {
    enum AppPage: String, Sendable, CaseIterable {
        case queue, cases, customers, customer, policy, reports, health, notifications, audit, search
    }
    case home
    case login, logout, language
    case asset(Asset, version: String)
    case page(AppID, AppPage)
    case caseFile(AppID, TransactionID)
    case decision(AppID, TransactionID)
    case notification(AppID, uuid: String)
    case redelivery(AppID, outboxID: Int64)
    case test(AppID)
    /// One table of a report as a file.
    case reportTable(AppID)

    static let tableFile = "table.csv"

    /// - Returns: nil where the path is none of the dashboard's.
    init?(_ path: [String]) {
        switch path.count {
        case 0: self = .home
        case 1:
            guard let word = ["login": Place.login, "logout": .logout, "language": .language][path[0]] else { return nil }
            self = word
        case 3 where path[0] == "assets":
            guard let asset = Asset(rawValue: path[2]) else { return nil }
            self = .asset(asset, version: path[1])
        case 2... where path[0] == "apps":
            self.init(app: AppID(path[1]), rest: Array(path.dropFirst(2)))
        default: return nil
        }
    }

    private init?(app: AppID, rest: [String]) {
        switch (rest.count, rest.first) {
        case (0, _): self = .page(app, .queue)
        case (1, let page?):
            guard let page = AppPage(rawValue: page) else { return nil }
            self = .page(app, page)
        case (2, "cases"): self = .caseFile(app, TransactionID(rest[1]))
        case (3, "cases") where rest[2] == "decision": self = .decision(app, TransactionID(rest[1]))
        case (2, "notifications"): self = .notification(app, uuid: rest[1])
        case (2, "health") where rest[1] == "test": self = .test(app)
        case (2, "reports") where rest[1] == Place.tableFile: self = .reportTable(app)
        case (3, "deliveries") where rest[2] == "redelivery":
            guard let id = Int64(rest[1]) else { return nil }
            self = .redelivery(app, outboxID: id)
        default: return nil
        }
    }
}
