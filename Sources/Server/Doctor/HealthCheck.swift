import Domain

/// One thing that was looked at.
struct HealthCheck: Encodable, Sendable {
    enum Status: String, Encodable, Sendable {
        case ok, warning, failed
    }
    /// Stable.
    var name: String
    var app: String?
    var environment: String?
    var status: Status
    /// What was found.
    var detail: String
    /// What to do; nil where there is nothing to do.
    var remedy: String?

    // About the desk as a whole.
    static func ok(_ name: String, _ detail: String) -> HealthCheck { HealthCheck(name, nil, .ok, detail, nil) }
    static func warning(_ name: String, _ detail: String, remedy: String) -> HealthCheck {
        HealthCheck(name, nil, .warning, detail, remedy)
    }
    static func failed(_ name: String, _ detail: String, remedy: String) -> HealthCheck { HealthCheck(name, nil, .failed, detail, remedy) }

    // About one app in one environment.
    static func ok(_ name: String, _ ledger: Ledger, _ detail: String) -> HealthCheck { HealthCheck(name, ledger, .ok, detail, nil) }
    static func warning(_ name: String, _ ledger: Ledger, _ detail: String, remedy: String) -> HealthCheck {
        HealthCheck(name, ledger, .warning, detail, remedy)
    }
    static func failed(_ name: String, _ ledger: Ledger, _ detail: String, remedy: String) -> HealthCheck {
        HealthCheck(name, ledger, .failed, detail, remedy)
    }

    private init(_ name: String, _ ledger: Ledger?, _ status: Status, _ detail: String, _ remedy: String?) {
        self.name = name
        app = ledger?.app.rawValue
        environment = ledger?.environment.rawValue
        self.status = status
        self.detail = detail
        self.remedy = remedy
    }

    /// The same about an app as a whole.
    func about(_ app: AppID) -> HealthCheck {
        var check = self
        check.app = app.rawValue
        return check
    }

    /// What fails in earnest is only worth a word where Apple is a simulator.
    func softened(_ isSoft: Bool) -> HealthCheck {
        var check = self
        if isSoft, status == .failed { check.status = .warning }
        return check
    }
}

/// Everything that was found, for printing.
struct HealthReport: Encodable, Sendable {
    var healthy: Bool
    var checks: [HealthCheck]

    init(_ checks: [HealthCheck]) {
        self.checks = checks
        healthy = !checks.contains { $0.status == .failed }
    }

    /// A line for each check and one for each remedy.
    func table(coloured: Bool) -> String {
        let places = checks.map { [$0.app, $0.environment].compactMap(\.self).joined(separator: " ") }
        let nameWidth = checks.map(\.name.count).max() ?? 0
        let placeWidth = places.map(\.count).max() ?? 0
        var lines: [String] = []
        for (check, place) in zip(checks, places) {
            let status = check.status.rawValue.padded(to: 7)
            let mark = coloured ? "\u{1B}[\(check.status.colour)m\(status)\u{1B}[0m" : status
            lines.append("\(mark)  \(check.name.padded(to: nameWidth))  \(place.padded(to: placeWidth))  \(check.detail)")
            if let remedy = check.remedy { lines.append(String(repeating: " ", count: 9) + "-> \(remedy)") }
        }
        let counts = [HealthCheck.Status.ok, .warning, .failed].map { status in
            "\(checks.count { $0.status == status }) \(status.rawValue)"
        }
        return (lines + [counts.joined(separator: ", ")]).joined(separator: "\n")
    }
}

extension HealthCheck.Status {
    fileprivate var colour: Int {
        switch self {
        case .ok: 32
        case .warning: 33
        case .failed: 31
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
