import Foundation

/// A text in which `${NAME}` stands for an environment variable, so that secrets need not be written down where others may read them.
struct VariableText {
    /// What is wrong and what to do; names the variable, never its value.
    struct Fault: Error { var text: String }

    let raw: String

    /// - Parameter variables: What the names stand for.
    func filled(_ variables: [String: String]) throws(Fault) -> String {
        var (text, rest) = ("", raw[...])
        while let start = rest.range(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { throw Fault(text: "\"${\" is not closed: write ${NAME}") }
            let name = String(rest[start.upperBound..<end])
            guard let value = variables[name] else {
                throw Fault(text: "the environment variable \(name) is not set: set it before starting, or write the value here")
            }
            text += rest[..<start.lowerBound] + value
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }
}
