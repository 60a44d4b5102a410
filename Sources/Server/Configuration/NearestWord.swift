/// Finds what somebody meant to write.
package enum NearestWord {
    /// A sentence that names the nearest of the words, and all of them where that one is far off.
    ///
    /// - Parameter listing: false where they are too many for that: nothing is said then.
    package static func advice(for text: String, among words: [String], listing: Bool = true) -> String {
        let distances = words.map { ($0, distance(text, $0)) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }) else { return "none is known here" }
        if distance * 2 <= max(text.count, 4) { return "did you mean \"\(nearest)\"?" }
        guard listing else { return "" }
        return "the nearest known is \"\(nearest)\"; known are \(words.joined(separator: ", "))"
    }

    /// How many letters have to be put in, taken out or changed; upper and lower case are the same.
    static func distance(_ a: String, _ b: String) -> Int {
        let (from, to) = (Array(a.lowercased().prefix(80)), Array(b.lowercased().prefix(80)))
        var row = Array(0...to.count)
        for (i, letter) in from.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in to.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[to.count]
    }
}
