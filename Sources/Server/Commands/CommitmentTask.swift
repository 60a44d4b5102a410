import Domain
import Reports

/// `report commitment`: what a yearly plan paid by the month is worth beside one paid at once, and what a refund of each month costs.
package struct CommitmentTask: Sendable {
    let upfront: String
    let monthly: String
    let format: String?
    let table: String?

    package init(upfront: String, monthly: String, format: String?, table: String?) {
        self.upfront = upfront
        self.monthly = monthly
        self.format = format
        self.table = table
    }

    package func run(_ console: Console) throws -> ExitCode {
        let printing = try ReportPrinting(format: format, table: table, tables: ["plans", "months"])
        let (once, each) = (try CommitmentTask.price(upfront, "upfront"), try CommitmentTask.price(monthly, "monthly"))
        guard let calculation = CommitmentCalculation(upfront: once, monthly: each) else {
            throw CommandFault("--upfront and --monthly must be prices above zero and below a thousand million")
        }
        printing.print(calculation.document, console)
        return .done
    }

    /// Whole units with up to three places, in milliunits.
    private static func price(_ text: String, _ option: String) throws(CommandFault) -> Int64 {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isDigits, (1...2).contains(parts.count), parts[0].count <= 12, parts.count == 1 || parts[1].count <= 3,
            let whole = Int64(parts[0])
        else { throw CommandFault("--\(option) takes a price such as 59.99, not \"\(text)\"") }
        let places = parts.count == 2 ? String(parts[1]) : ""
        let thousandths = Int64(places + String(repeating: "0", count: 3 - places.count)) ?? 0
        return whole * 1_000 + thousandths
    }
}
