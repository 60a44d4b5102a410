/// What the owner set for one customer; it beats the rules.
package enum CustomerPreference: Hashable, Sendable, RawRepresentable {
    case prefer(RefundPreference)
    case dataOnly
    case none

    package init?(rawValue: String) {
        switch rawValue {
        case "data-only": self = .dataOnly
        case "none": self = .none
        default:
            guard let preference = RefundPreference(rawValue: rawValue) else { return nil }
            self = .prefer(preference)
        }
    }

    package var rawValue: String {
        switch self {
        case .prefer(let preference): preference.rawValue
        case .dataOnly: "data-only"
        case .none: "none"
        }
    }

    package var answer: PolicyAnswer {
        switch self {
        case .prefer(let preference): .prefer(preference)
        case .dataOnly: .dataOnly
        case .none: .abstain
        }
    }
}
