/// Why a text is not JSON5, and where.
package struct JSON5Error: Error, Equatable, CustomStringConvertible {
    /// Both counted from 1.
    package var line: Int
    package var column: Int
    /// One sentence for the person who wrote the text. Names keys, never values: those may be secrets.
    package var message: String

    package init(line: Int, column: Int, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}
