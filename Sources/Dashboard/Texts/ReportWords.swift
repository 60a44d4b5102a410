import Domain
import Reports
import Store

// Which phrase says a word of the reports. What is Apple's or the owner's stays as it is.

extension ReportKind {
    var phrase: Phrase {
        switch self {
        case .refunds: .reportRefunds
        case .outcomes: .reportOutcomes
        case .costs: .reportCosts
        case .customers: .reportCustomers
        case .prevention: .reportPrevention
        }
    }

    /// How its figures are to be read.
    var notes: [Phrase] {
        switch self {
        case .refunds: [.reportNoteDates, .reportNoteApple, .reportNoteAmounts]
        case .outcomes: [.reportNoteHoldout, .reportNoteTimes]
        case .costs: [.reportNoteProceeds, .reportNoteUnitCosts, .reportNoteCommitments]
        case .customers: [.reportNoteCustomers]
        case .prevention: [.reportNotePrevention, .reportNoteBaseline]
        }
    }
}

extension ReportGrouping {
    var phrase: Phrase {
        switch self {
        case .day: .reportDay
        case .week: .reportWeek
        case .month: .reportMonth
        case .product: .productColumn
        case .reason: .reason
        case .storefront: .storefront
        case .offer: .reportOffer
        case .daysSincePurchase: .reportDaysSince
        case .commitmentMonth: .reportCommitmentMonth
        case .rule: .rule
        }
    }

    var isOverTime: Bool { [.day, .week, .month].contains(self) }
}

extension ReportTable {
    var phrase: Phrase { ReportTable.phrases[name] ?? .reports }

    static let phrases: [String: Phrase] = [
        "byRequestDate": .reportByRequestDate, "byPurchaseDate": .reportByPurchaseDate, "amountsByRequestDate": .reportAmountsByRequest,
        "amountsByPurchaseDate": .reportAmountsByPurchase, "bySent": .reportBySent, "byRule": .reportByRule, "holdout": .reportHoldout,
        "course": .reportCourse, "costs": .reportCostsTable, "customers": .reportCustomersTable, "products": .reportProducts,
        "offers": .reportOffers, "rates": .reportRates,
    ]
}

extension ReportTable.Column {
    var phrase: Phrase { ReportGrouping(rawValue: name)?.phrase ?? ReportTable.Column.phrases[name] ?? .unknown }

    static let phrases: [String: Phrase] = [
        "requests": .requests, "rounds": .reportRounds, "grantedFull": .reportFull, "grantedProrated": .reportProrated,
        "grantedSeats": .reportSeats, "declined": .stateDeclined, "reversed": .stateReversed, "undecided": .reportUndecided,
        "unasked": .reportUnasked, "sales": .reportSales, "requestsPerSale": .reportRequestRate, "refundsPerSale": .reportRefundRate,
        "price": .reportPrice, "refunded": .refunded, "sold": .reportSold, "refundedShare": .reportRefundedShare, "sent": .reportSent,
        "low": .reportLow, "high": .reportHigh, "medianSeconds": .reportMedian, "p90Seconds": .reportP90,
        "answeredDecided": .reportAnsweredDecided, "answeredShare": .reportAnsweredShare, "heldOutDecided": .reportHeldOutDecided,
        "heldOutShare": .reportHeldOutShare, "difference": .reportDifference, "verdict": .reportVerdict, "askedAgain": .reportAskedAgain,
        "declinedThenRefunded": .reportDeclinedThenRefunded, "refunds": .reportRefundCount, "proceedsLost": .reportProceeds,
        "unitCosts": .reportUnitCosts, "withoutUnitCosts": .reportWithoutUnitCosts, "endedCommitments": .reportEnded,
        "paymentsLost": .reportPaymentsLost, "paymentsLostAmount": .reportPaymentsWorth, "customer": .customer, "newest": .reportNewest,
        "afterTrial": .reportAfterTrial, "afterRenewal": .reportAfterRenewal, "share": .reportShare, "advice": .reportAdvice,
        "days": .reportDays, "rate": .reportRequestRate,
    ]
}

extension PageFrame {
    /// A cell of words: the desk's own in the visitor's language, names as they came.
    func word(_ text: String, in column: String) -> Node {
        if let phrase = PageFrame.words[text] { return .text(texts[phrase]) }
        switch column {
        case "reason": return reason(text)
        case "rule": return el("bdi", [], .text(named(rule: text)))
        case "sent": return .text(RefundPreference(rawValue: text).map { texts[($0 as RefundPreference?).phrase] } ?? text)
        case "customer": return el("a", [.href(customerLink(text))], el("bdi", [], .text(text)))
        case "verdict": return .text(texts[OutcomesReport.Verdict(rawValue: text)?.phrase ?? .unknown])
        case "advice": return PreventionReport.Advice(rawValue: text).map { .text(texts[$0.phrase]) } ?? .text(text)
        case "days":
            let isBaseline = text == PreventionReport.baselineName
            return .text(
                isBaseline ? texts(.reportDaysBefore, ["n": "\(PreventionReport.baselineDays)"]) : texts[.reportTheseDays])
        default: return el("bdi", [], .text(text))
        }
    }

    /// The name of a group as plain text, for charts.
    func plainWord(_ text: String, in column: String) -> String {
        if let phrase = PageFrame.words[text] { return texts[phrase] }
        switch column {
        case "reason": return ConsumptionRequestReason(rawValue: text).map { texts[$0.phrase] } ?? text
        case "rule": return named(rule: text)
        case "sent": return RefundPreference(rawValue: text).map { texts[($0 as RefundPreference?).phrase] } ?? text
        default: return text
        }
    }

    private static let words: [String: Phrase] = [
        ReportWord.none: .reportNone, ReportWord.unknown: .unknown, ReportWord.notAsked: .reportUnasked, ReportWord.all: .reportAll,
        RoundFacts.dataOnly: .choiceDataOnly, RoundFacts.nothing: .nothingSent,
    ]
}

extension OutcomesReport.Verdict {
    fileprivate var phrase: Phrase {
        switch self {
        case .yes: .yes
        case .no: .no
        case .unknown: .unknown
        }
    }
}

extension PreventionReport.Advice {
    fileprivate var phrase: Phrase {
        switch self {
        case .beforeTrial: .reportAdviceTrial
        case .beforeRenewal: .reportAdviceRenewal
        }
    }
}
