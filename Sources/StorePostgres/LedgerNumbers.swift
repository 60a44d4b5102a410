import Domain
import Postgres
import Store

private enum SQL {
    static let find: StaticString = "SELECT id FROM ledgers WHERE app = $1 AND environment = $2"
    // Where another process makes it at this moment, this waits for that one's commit, and the ledger is found.
    static let insert: StaticString = "INSERT INTO ledgers (app, environment) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id"
    static let ledger: StaticString = "SELECT app, environment FROM ledgers WHERE id = $1"
}

/// The ledgers' row ids seen so far. There are two to an app and they are never deleted.
struct LedgerNumbers {
    fileprivate var numbers: [Ledger: Int64] = [:]
    fileprivate var ledgers: [Int64: Ledger] = [:]

    fileprivate mutating func keep(_ ledger: Ledger, _ number: Int64) {
        numbers[ledger] = number
        ledgers[number] = ledger
    }
}

extension PostgresSession {
    /// The row id of a ledger; nil where nothing was ever kept in it.
    func number(of ledger: Ledger) throws(StoreError) -> Int64? {
        if let number = ledgers.numbers[ledger] { return number }
        let number = try postgres {
            try $0.first("ledgers.find", SQL.find, ledger.app, ledger.environment.rawValue) { try $0.int64(0) }
        }
        if let number { ledgers.keep(ledger, number) }
        return number
    }

    /// The row id of a ledger, made on first use.
    func numberForWriting(to ledger: Ledger) throws(StoreError) -> Int64 {
        if let number = try number(of: ledger) { return number }
        let made = try postgres {
            try $0.first("ledgers.insert", SQL.insert, ledger.app, ledger.environment.rawValue) { try $0.int64(0) }
        }
        if let made { ledgers.keep(ledger, made) }
        guard let number = try number(of: ledger) else { throw .busy("ledgers.insert", database) }
        return number
    }

    /// The ledger behind a row id that a stored row carries.
    func ledger(_ number: Int64) throws(StoreError) -> Ledger {
        if let ledger = ledgers.ledgers[number] { return ledger }
        let ledger = try postgres {
            try $0.first("ledgers.ledger", SQL.ledger, number) { row in
                var column = 0
                return Ledger(app: try row.id(&column), environment: try row.word(&column))
            }
        }
        guard let ledger else {
            throw StoreError(code: .corrupt, operation: "ledgers.ledger", detail: "a row of \(database) names a ledger that is missing")
        }
        ledgers.keep(ledger, number)
        return ledger
    }
}
