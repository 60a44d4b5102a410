import Reports

/// What came of one sales file, for people and for programs.
struct SalesOutcome: Encodable {
    var file: String
    var kind: String?
    var days = 0
    var rows = 0
    var refunds = 0
    /// `imported`, `known`, `replaced`; `none` where Apple has no file.
    var result: String?
    var error: String?

    init(file: String) { self.file = file }

    mutating func describe(_ file: SalesFile, _ result: SalesDesk.Result) {
        kind = file.kind.rawValue
        days = file.days.count
        rows = file.ownRows
        refunds = file.days.values.reduce(0) { $0 + $1.count }
        self.result =
            switch result {
            case .imported: "imported"
            case .known: "known"
            case .replaced: "replaced"
            }
    }

    var words: String {
        if let error { return error }
        let what = "\(kind ?? "") of \(days) day\(days == 1 ? "" : "s"), \(rows) rows of the app, \(refunds) of refunds"
        switch result {
        case "none": return "Apple has no file: nothing was sold, or it is not there yet"
        case "known": return "\(what): imported before"
        case "replaced": return "\(what): takes the place of what was imported before"
        default: return "\(what): imported"
        }
    }
}

extension Console {
    /// - Returns: Whether nothing failed.
    func print(_ outcomes: [SalesOutcome], json: Bool) throws -> ExitCode {
        if json {
            try print(json: outcomes)
        } else {
            for outcome in outcomes { print("\(outcome.file): \(outcome.words)") }
        }
        return outcomes.contains { $0.error != nil } ? .notSo : .done
    }
}
