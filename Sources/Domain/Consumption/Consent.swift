/// How the owner asks for consent, from the app's configuration.
package enum ConsentMode: Hashable, Sendable {
    case perCustomer
    /// The owner attests in writing that every customer agreed; a recorded no beats it.
    case blanket(attestation: String)
}

/// Where a customer's consent stands now.
package enum ConsentStanding: String, Hashable, Sendable, Codable, CaseIterable {
    case given
    /// No word of the customer's own; the owner attests in writing that every customer agreed.
    case attested
    /// None was ever recorded, or only a no.
    case absent
    case withdrawn
    /// The newest consent is to an older text than the owner demands.
    case outdated

    /// Whether data about the customer may be sent to Apple.
    package var isGiven: Bool { self == .given || self == .attested }
}

/// Folds what was recorded about one customer: the newest word counts.
///
/// - Parameters:
///   - facts: In the order they were recorded; of two of the same instant the later recorded counts.
///   - minimumTextVersion: Consents to older texts do not count; nil accepts all.
/// - Source: Send Consumption Information: consent that lapsed or was withdrawn means that nothing more is sent.
package func consentStanding(_ facts: [ConsentFact], mode: ConsentMode, minimumTextVersion: String?) -> ConsentStanding {
    var newest: ConsentFact?
    for fact in facts where newest.map({ $0.at <= fact.at }) ?? true { newest = fact }
    guard let newest else { return mode == .perCustomer ? .absent : .attested }
    guard newest.consented else { return facts.contains(where: \.consented) ? .withdrawn : .absent }
    guard let minimumTextVersion else { return .given }
    guard let textVersion = newest.textVersion, !isOlder(textVersion, than: minimumTextVersion) else { return .outdated }
    return .given
}

/// Compares text versions number by number: `2026-9` is older than `2026-10`. Parts that are no numbers compare as text.
package func isOlder(_ version: String, than other: String) -> Bool {
    let a = versionParts(version)
    let b = versionParts(other)
    for (x, y) in zip(a, b) where x != y {
        guard let m = Int64(x), let n = Int64(y) else { return x < y }
        if m != n { return m < n }
    }
    return a.count < b.count
}

/// Runs of digits and runs of letters: `v10.1` is `v`, `10`, `1`.
private func versionParts(_ text: String) -> [Substring] {
    text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).flatMap { word -> [Substring] in
        var parts: [Substring] = []
        var rest = word
        while let first = rest.first {
            let part = rest.prefix { $0.isNumber == first.isNumber }
            parts.append(part)
            rest = rest.dropFirst(part.count)
        }
        return parts
    }
}

/// Whether a source of consent is App Tracking Transparency, which Apple forbids for this purpose.
///
/// Letters only, in any case: exactly `att`, or containing `apptracking`.
package func namesAppTrackingTransparency(_ source: String) -> Bool {
    let letters = source.lowercased().filter(\.isLetter)
    return letters == "att" || letters.contains("apptracking")
}

extension String {
    /// Whether `part` occurs in the text.
    fileprivate func contains(_ part: String) -> Bool {
        let all = Array(utf8)
        let wanted = Array(part.utf8)
        guard all.count >= wanted.count else { return false }
        return (0...(all.count - wanted.count)).contains { all[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
