import Domain

/// The sum, or the integer nearest to it.
package func saturatingSum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (a > 0 ? .max : .min) : sum
}

extension UsageFact.Subject {
    /// As it is stored.
    package var kind: String {
        switch self {
        case .transaction: "transaction"
        case .customer: "customer"
        }
    }

    package var text: String {
        switch self {
        case .transaction(let id): id.rawValue
        case .customer(let ref): ref
        }
    }
}
