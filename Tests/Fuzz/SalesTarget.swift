import Gzip
import Reports

extension FuzzTarget {
    /// A file of Apple's, or what somebody uploads as one: read whole or refused, packed as plain, and no sum below zero.
    static let sales = FuzzTarget(
        name: "sales",
        seeds: {
            let summary =
                "SKU\tApple Identifier\tProduct Type Identifier\tParent Identifier\tUnits\tCustomer Price\tCustomer Currency\tCountry Code\t"
                + "Begin Date\tEnd Date\tCMB\ncoins\t77\tIA1\tacme\t-2\t-9.99\tUSD\tUS\t01/05/2026\t01/05/2026\t\n"
            let event = "Event Date\tEvent\tApp Apple ID\tSubscription Apple ID\tCountry\tQuantity\n2026-01-05\tRefund\t1\t77\tDE\t1\n"
            let subscriber =
                "Subscriber ID\tRefund\tCustomer Price\tCustomer Currency\tCountry\tEvent Date\tApp Apple ID\tSubscription Apple ID\tUnits\n"
                + "1\tYes\t-4.99\tEUR\tDE\t2026-01-05\t1\t77\t1\n"
            let plain = bytes(summary, event, subscriber, "", "no\ttable")
            return plain + plain.compactMap { try? Gzip.packed($0) }
        }
    ) {
        { input in
            let app = SalesApp(appleID: 1, sku: nil)
            let file = try? SalesFile(input, name: "S_D_80000001_20260105.txt.gz", of: app)
            for refund in file?.days.values.flatMap(\.self) ?? [] {
                precondition(refund.units >= 0 && refund.amount >= 0, "less than nothing was refunded")
            }
            guard !Gzip.isPacked(input), let packed = try? Gzip.packed(input) else { return }
            precondition((try? Gzip.unpacked(packed, limit: input.count)) == input, "other bytes come out than went in")
            let again = try? SalesFile(packed, name: "S_D_80000001_20260105.txt.gz", of: app)
            precondition(again?.sha256 == file?.sha256 && again?.days == file?.days, "packed it is another file")
        }
    }
}
