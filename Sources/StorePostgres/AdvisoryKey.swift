import Store

/// The numbers under which PostgreSQL keeps locks that belong to no row.
enum AdvisoryKey {
    /// The schema is brought up to date.
    case migration
    /// Months are made for bodies, or dropped.
    case months
    /// A link is added to the audit trail.
    case audit
    /// A ledger's recorded outages are replaced, or read for a decision.
    case outages(Int64)
    /// What one process does for all.
    case leader
    /// Something that a write announced to touch.
    case name(String)
    /// A case is counted for reports. Cases share few numbers, so that whoever counts many at once stays within what PostgreSQL can lock.
    case countedCase(LedgerCase)

    var number: Int64 {
        switch self {
        case .migration: AdvisoryKey.hash("refund-desk migration")
        case .months: AdvisoryKey.hash("refund-desk months")
        case .leader: AdvisoryKey.hash("refund-desk leader")
        case .audit: AdvisoryKey.hash("refund-desk audit")
        case .outages(let ledger): AdvisoryKey.hash("refund-desk outages \(ledger)")
        case .name(let name): AdvisoryKey.hash("refund-desk/" + name)
        case .countedCase(let one):
            AdvisoryKey.hash(
                "refund-desk counts \(AdvisoryKey.hash("\(one.ledger.app)/\(one.ledger.environment.rawValue)/\(one.id)") & 0x3FF)")
        }
    }

    /// FNV-1a, the same in every process. Two names that share a number merely wait for each other.
    private static func hash(_ text: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}
