import Domain
import Store

extension RefundsReport {
    package var document: ReportDocument {
        ReportDocument(
            name: "refunds", scope: request.report, notes: notes,
            tables: [
                counts("byRequestDate", "Cases by the date of their first request", byRequestDate),
                counts("byPurchaseDate", "Cases by the date of their purchase", byPurchaseDate),
                amounts("amountsByRequestDate", "List prices by the date of the first request", byRequestDate),
                amounts("amountsByPurchaseDate", "List prices by the date of the purchase", byPurchaseDate),
            ])
    }

    private func counts(_ name: String, _ title: String, _ groups: [Group]) -> ReportTable {
        let columns: [ReportTable.Column] = [
            .init(request.by.rawValue, request.by.heading), .init("requests", "requests"), .init("rounds", "rounds"),
            .init("grantedFull", "full"), .init("grantedProrated", "prorated"), .init("grantedSeats", "seats"),
            .init("declined", "declined"), .init("reversed", "reversed"), .init("undecided", "undecided"),
            .init("unasked", "of these unasked"), .init("sales", "sales"), .init("requestsPerSale", "requests/sale"),
            .init("refundsPerSale", "refunds/sale"),
        ]
        return ReportTable(name, title, columns: columns, rows: groups.map(row) + total(groups))
    }

    private func row(_ group: Group) -> [ReportTable.Cell] {
        let sums = group.sums
        return [
            .text(group.name), .count(sums.requests), .count(sums.rounds), .count(sums.grantedFull), .count(sums.grantedProrated),
            .count(sums.grantedSeats), .count(sums.declined), .count(sums.reversed), .count(sums.undecided), .count(sums.unasked),
            .count(group.sales), .rate(sums.requests, per: group.sales), .rate(sums.granted, per: group.sales),
        ]
    }

    private func total(_ groups: [Group]) -> [[ReportTable.Cell]] {
        guard groups.count > 1 else { return [] }
        var all = Group(name: ReportWord.all, sums: CaseSums(), sales: 0, amounts: [:])
        for group in groups {
            all.sums += group.sums
            all.sales = request.by.saleDimension == nil ? group.sales : all.sales + group.sales
        }
        return [row(all)]
    }

    private func amounts(_ name: String, _ title: String, _ groups: [Group]) -> ReportTable {
        let columns: [ReportTable.Column] = [
            .init(request.by.rawValue, request.by.heading), .money("price", "price of the cases"), .money("refunded", "stands refunded"),
            .money("reversed", "taken back again"), .money("sold", "sold"), .init("refundedShare", "refunded/sold"),
        ]
        let rows = groups.flatMap { group in
            group.amounts.sorted { $0.key < $1.key }.filter { !$0.key.isEmpty }.map { currency, amounts in
                let money = { (amount: Int64) in ReportTable.Cell.money(Money(amount: amount, currency: currency)) }
                return [
                    .text(group.name), money(amounts.price), money(amounts.refunded), money(amounts.reversed),
                    request.by.saleDimension == nil ? .none : money(amounts.sold), .rate(amounts.refunded, per: amounts.sold),
                ]
            }
        }
        return ReportTable(name, title, columns: columns, rows: rows)
    }

    private var notes: [String] {
        let all = "Rates of a group without sales of its own (reason, days since purchase, rule) are per sale of all groups."
        return [
            "By request date: what was received in these days, beside the sales of the same days. Requests match the notifications of the "
                + "log. By purchase date: what became so far of the purchases of these days; only this tells how many of the sold were "
                + "refunded, and for the newest days it still grows.",
            "Apple's own sales reports count a refund on the day it was made, in Pacific Time: `sales check` compares by that.",
            "A case counts once however often the customer asked; rounds count each time of asking. Sales are paid purchases known to "
                + "the desk, renewals included, free trials not.",
            "Amounts are estimates from list prices as Apple signs them, per currency and never added over currencies; they are not "
                + "proceeds. The sandbox is worth nothing.",
        ] + (request.by.saleDimension == nil ? [all] : [])
    }
}
