import Domain
import Store
import Testing

@testable import AppStoreSimulator
@testable import Ingest

/// One row of Apple's table of types: what was known before, what is told on a day, and the ledger then.
struct NotificationRow: CustomTestStringConvertible, Sendable {
    /// Type and subtype, in parentheses what is special.
    var name: String
    /// On day 0, in order.
    var known: [Told]
    var day: Int64
    var told: Told
    /// As ``TestDesk/sketch(_:)`` gives it.
    var ledger: String
    var testDescription: String { name }

    init(_ name: String, after known: [Told] = [], day: Int64 = 10, _ told: Told, is ledger: String) {
        (self.name, self.known, self.day, self.told, self.ledger) = (name, known, day, told, ledger)
    }

    var type: String { String(name.prefix { $0 != " " && $0 != "/" }) }
    var subtype: String? {
        let parts = name.split(separator: " ")[0].split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : nil
    }
}

/// The transaction and renewal info of a notification.
struct Told: Sendable {
    var type: String?
    var transaction: TransactionPayload?
    var renewal: RenewalPayload?

    init(_ transaction: TransactionPayload?, _ renewal: RenewalPayload? = nil, as type: String? = nil) {
        (self.transaction, self.renewal, self.type) = (transaction, renewal, type)
    }
}

let month = TransactionPayload.month()
let second = TransactionPayload.month("3002", of: "3001", at: on(30))
let bought = Told(month, month.renewal(), as: "SUBSCRIBED")
let coins = TransactionPayload.coins()

// MARK: 2.1 Refund events

private let life = TransactionPayload.make("2002", "life", .nonConsumable, at: on(0))
private let season = TransactionPayload.make("2003", "season", .nonRenewingSubscription, at: on(0))
private let member = TransactionPayload.month("3009", of: "3009").with { $0.inAppOwnershipType = "FAMILY_SHARED" }
private func seats(_ invitations: String, revoked: Int32? = nil) -> TransactionPayload {
    month.with {
        $0.quantity = 5
        $0.multiSeatInfo = MultiSeatInfo(invitationManagement: invitations, revokedSeatQuantity: revoked)
    }
}
private func charge(_ transaction: TransactionPayload) -> Told { Told(transaction, as: "ONE_TIME_CHARGE") }

private let refundRows = [
    NotificationRow(
        "CONSUMPTION_REQUEST", after: [bought], Told(month, month.renewal()), is: "+pro active 30 renews, 3001 open [abstain no-consent]"),
    NotificationRow(
        "CONSUMPTION_REQUEST (consumable)", after: [charge(coins)], Told(coins), is: "coins100 100-0, 2001 open [abstain no-consent]"),
    NotificationRow(
        "CONSUMPTION_REQUEST (non-consumable)", after: [charge(life)], Told(life), is: "+life active ever, 2002 open [abstain no-consent]"),
    NotificationRow(
        "CONSUMPTION_REQUEST (non-renewing)", after: [charge(season)], Told(season), is: "+season active 61, 2003 open [abstain no-consent]"
    ),
    NotificationRow(
        "REFUND", after: [bought], Told(month.refunded(at: on(10)), month.renewal { $0.autoRenewStatus = 0 }),
        is: "-pro revoked 10, 3001 refunded"),
    NotificationRow(
        "REFUND (of an older period)", after: [bought, Told(second, second.renewal(), as: "DID_RENEW")], day: 40,
        Told(month.refunded(at: on(40)), second.renewal()), is: "+pro active 60 renews, 3001 refunded"),
    NotificationRow("REFUND (consumable)", after: [charge(coins)], Told(coins.refunded(at: on(10))), is: "coins100 100-100, 2001 refunded"),
    NotificationRow(
        "REFUND (consumable, prorated)", after: [charge(coins)], Told(coins.refunded(at: on(10), percentage: 33_999)),
        is: "coins100 100-33, 2001 refunded"),
    NotificationRow(
        "REFUND (non-consumable)", after: [charge(life)], Told(life.refunded(at: on(10))), is: "-life revoked 10, 2002 refunded"),
    NotificationRow(
        "REFUND (non-renewing)", after: [charge(season)], Told(season.refunded(at: on(10))), is: "-season revoked 10, 2003 refunded"),
    NotificationRow(
        "REFUND (prorated)", after: [bought], Told(month.refunded(at: on(10), percentage: 66_000)),
        is: "-pro revoked 10 renews, 3001 refunded"),
    NotificationRow("REFUND (never heard of)", Told(coins.refunded(at: on(10))), is: "coins100 100-100, 2001 refunded"),
    NotificationRow(
        "REFUND/SEATS (DEVELOPER)", after: [Told(seats("DEVELOPER"), as: "SUBSCRIBED")], Told(seats("DEVELOPER", revoked: 2)),
        is: "+pro active 30 seats 5-2, 3001 refunded"),
    NotificationRow(
        "REFUND/SEATS (APPLE)", after: [Told(seats("APPLE"), as: "SUBSCRIBED")], Told(seats("APPLE", revoked: 2)),
        is: "+pro active 30 seats 5-2, 3001 refunded"),
    NotificationRow(
        "REFUND_DECLINED", after: [bought, Told(month, as: "CONSUMPTION_REQUEST")], Told(month),
        is: "+pro active 30 renews, 3001 declined [abstain no-consent]"),
    NotificationRow("REFUND_DECLINED (nobody asked)", after: [bought], Told(month), is: "+pro active 30 renews, 3001 declined"),
    NotificationRow(
        "REFUND_REVERSED", after: [bought, Told(month.refunded(at: on(0)), as: "REFUND")], Told(month),
        is: "+pro active 30 renews, 3001 reversed"),
    NotificationRow(
        "REFUND_REVERSED (old date carried on)", after: [bought, Told(month.refunded(at: on(0)), as: "REFUND")],
        Told(month.refunded(at: on(0))),
        is: "+pro active 30 renews, 3001 reversed"),
    NotificationRow(
        "REFUND_REVERSED (consumable)", after: [Told(coins.refunded(at: on(0)), as: "REFUND")], Told(coins),
        is: "coins100 100-0, 2001 reversed"),
    NotificationRow(
        "REFUND_REVERSED (after the period)", after: [bought, Told(month.refunded(at: on(0)), as: "REFUND")], day: 50, Told(month),
        is: "-pro expired 30 renews, 3001 reversed"),
    NotificationRow(
        "REVOKE", after: [Told(member, as: "SUBSCRIBED")],
        Told(member.with { ($0.revocationDate, $0.revocationReason, $0.revocationType) = (on(10).milliseconds, 0, "FAMILY_REVOKE") }),
        is: "-pro revoked 10"),
    NotificationRow("REVOKE (no date)", after: [Told(member, as: "SUBSCRIBED")], Told(member), is: "-pro revoked 10"),
]

// MARK: 2.2 Subscription lifecycle

private let top = TransactionPayload.month("3003", of: "3001", at: on(10), product: "max")
private let overdue = month.renewal { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) }
private func ended(_ intent: Int32) -> Told {
    Told(
        month,
        month.renewal {
            ($0.autoRenewStatus, $0.expirationIntent, $0.isInBillingRetryPeriod) = (0, intent, false)
        })
}

private let beginningRows = [
    NotificationRow("SUBSCRIBED/INITIAL_BUY", Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow("SUBSCRIBED/INITIAL_BUY (family)", Told(member, member.renewal()), is: "+pro active 30 renews"),
    NotificationRow(
        "SUBSCRIBED/RESUBSCRIBE", after: [bought], day: 50,
        Told(
            TransactionPayload.month("3005", of: "3001", at: on(50), product: "max"),
            TransactionPayload.month("3005", of: "3001", at: on(50), product: "max").renewal()), is: "+max active 80 renews"),
    NotificationRow("DID_RENEW", after: [bought], day: 31, Told(second, second.renewal()), is: "+pro active 60 renews"),
    NotificationRow(
        "DID_RENEW (signed before it begins)", after: [bought], day: 29, Told(second, second.renewal()), is: "+pro active 60 renews"),
    NotificationRow(
        "DID_RENEW/BILLING_RECOVERY", after: [Told(month, overdue, as: "DID_FAIL_TO_RENEW")], day: 41,
        Told(
            TransactionPayload.month("3002", of: "3001", at: on(40)),
            TransactionPayload.month("3002", of: "3001", at: on(40)).renewal { $0.isInBillingRetryPeriod = false }),
        is: "+pro active 70 renews"),
    NotificationRow(
        "OFFER_REDEEMED", after: [bought], day: 31,
        Told(second.with { ($0.offerType, $0.offerIdentifier) = (3, "SPRING") }, second.renewal()),
        is: "+pro active 60 renews"),
    NotificationRow("OFFER_REDEEMED/UPGRADE", after: [bought], Told(top, top.renewal()), is: "+max active 40 renews"),
    NotificationRow(
        "OFFER_REDEEMED/DOWNGRADE", after: [bought], Told(month, month.renewal { $0.autoRenewProductId = "com.acme.basic" }),
        is: "+pro active 30 renews then basic"),
    NotificationRow(
        "RENEWAL_EXTENDED", after: [bought],
        Told(month.with { $0.expiresDate = on(45).milliseconds }, month.renewal { $0.renewalDate = on(45).milliseconds }),
        is: "+pro active 45 renews"),
    NotificationRow("RENEWAL_EXTENSION/FAILURE", after: [bought], Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow("ONE_TIME_CHARGE", Told(coins), is: "coins100 100-0"),
    NotificationRow("ONE_TIME_CHARGE (quantity)", Told(coins.with { $0.quantity = 3 }), is: "coins100 300-0"),
    NotificationRow("ONE_TIME_CHARGE (non-consumable)", Told(life), is: "+life active ever"),
    NotificationRow("ONE_TIME_CHARGE (non-renewing)", Told(season), is: "+season active 61"),
]

private let changeRows = [
    NotificationRow("DID_CHANGE_RENEWAL_PREF/UPGRADE", after: [bought], Told(top, top.renewal()), is: "+max active 40 renews"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_PREF/UPGRADE (the closed copy comes too)",
        after: [
            bought, Told(month.with { ($0.isUpgraded, $0.revocationDate) = (true, on(10).milliseconds) }, as: "DID_CHANGE_RENEWAL_PREF"),
        ],
        Told(top, top.renewal()), is: "+max active 40 renews"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", after: [bought], Told(month, month.renewal { $0.autoRenewProductId = "com.acme.basic" }),
        is: "+pro active 30 renews then basic"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_PREF (taken back)",
        after: [Told(month, month.renewal { $0.autoRenewProductId = "com.acme.basic" }, as: "DID_CHANGE_RENEWAL_PREF")],
        Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_PREF/INCREASE_QUANTITY", after: [Told(seats("DEVELOPER"), as: "SUBSCRIBED")],
        Told(seats("DEVELOPER").with { $0.quantity = 8 }), is: "+pro active 30 seats 8-0"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_PREF/DECREASE_QUANTITY", after: [Told(seats("DEVELOPER"), as: "SUBSCRIBED")], Told(seats("DEVELOPER")),
        is: "+pro active 30 seats 5-0"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
        after: [Told(month, month.renewal { $0.autoRenewStatus = 0 }, as: "DID_CHANGE_RENEWAL_STATUS")],
        Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", after: [bought], Told(month, month.renewal { $0.autoRenewStatus = 0 }),
        is: "+pro active 30"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_STATUS (blank, after a price increase)", after: [bought], Told(month, month.renewal { $0.autoRenewStatus = 0 }),
        is: "+pro active 30"),
    NotificationRow(
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED (commitment)",
        after: [Told(.committed(1, "4001"), TransactionPayload.committed(1, "4001").renewal(), as: "SUBSCRIBED")],
        Told(.committed(1, "4001"), TransactionPayload.committed(1, "4001").renewal { $0.commitmentInfo?.commitmentAutoRenewStatus = 0 }),
        is: "+yearly active 30 renews 1/12 running ending"),
    NotificationRow(
        "PRICE_INCREASE/PENDING", after: [bought], Told(month, month.renewal { $0.priceIncreaseStatus = 0 }), is: "+pro active 30 renews"),
    NotificationRow(
        "PRICE_INCREASE/ACCEPTED", after: [bought], Told(month, month.renewal { $0.priceIncreaseStatus = 1 }), is: "+pro active 30 renews"),
]

private let endRows = [
    NotificationRow(
        "DID_FAIL_TO_RENEW/GRACE_PERIOD", after: [bought], day: 31,
        Told(
            month,
            month.renewal { ($0.isInBillingRetryPeriod, $0.expirationIntent, $0.gracePeriodExpiresDate) = (true, 2, on(46).milliseconds) }),
        is: "+pro grace 46 renews"),
    NotificationRow("DID_FAIL_TO_RENEW", after: [bought], day: 31, Told(month, overdue), is: "-pro billingRetry 30 renews"),
    NotificationRow(
        "DID_FAIL_TO_RENEW (commitment)", after: [Told(.committed(1, "4001"), as: "SUBSCRIBED")], day: 31,
        Told(
            .committed(1, "4001"),
            TransactionPayload.committed(1, "4001").renewal { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) }),
        is: "-yearly billingRetry 30 renews 1/12 running"),
    NotificationRow("GRACE_PERIOD_EXPIRED", after: [bought], day: 47, Told(month, overdue), is: "-pro billingRetry 30 renews"),
    NotificationRow("EXPIRED/VOLUNTARY", after: [bought], day: 31, ended(1), is: "-pro expired 30"),
    NotificationRow(
        "EXPIRED/BILLING_RETRY", after: [Told(month, overdue, as: "DID_FAIL_TO_RENEW")], day: 91, ended(2), is: "-pro expired 30"),
    NotificationRow("EXPIRED/PRICE_INCREASE", after: [bought], day: 31, ended(3), is: "-pro expired 30"),
    NotificationRow("EXPIRED/PRODUCT_NOT_FOR_SALE", after: [bought], day: 31, ended(4), is: "-pro expired 30"),
    NotificationRow("EXPIRED", after: [bought], day: 31, ended(5), is: "-pro expired 30"),
    NotificationRow("EXPIRED (never sent)", after: [bought], day: 31, Told(nil), is: "-pro expired 30 renews"),
]

// MARK: 2.3 Others

private let otherRows = [
    NotificationRow("TEST", after: [bought], Told(nil), is: "+pro active 30 renews"),
    NotificationRow("METADATA_UPDATE", after: [bought], Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow("MIGRATION", after: [bought], Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow("PRICE_CHANGE", after: [bought], Told(month, month.renewal()), is: "+pro active 30 renews"),
    NotificationRow(
        "NEWS (unknown type changes no access)", after: [bought],
        Told(month.refunded(at: on(10)), month.renewal { $0.autoRenewStatus = 0 }), is: "+pro active 30 renews"),
    NotificationRow(
        "MIGRATE (the changelog's name is unknown)", after: [bought], Told(month.refunded(at: on(10))), is: "+pro active 30 renews"),
    NotificationRow(
        "DID_RENEW/NEWS (unknown subtype)", after: [bought], day: 31, Told(second, second.renewal()), is: "-pro expired 30 renews"),
    NotificationRow(
        "CONSUMPTION_REQUEST/NEWS (a question is always heard)", after: [bought], Told(month),
        is: "+pro active 30 renews, 3001 open [abstain no-consent]"),
]

extension TestDesk {
    fileprivate func tell(_ told: Told, _ type: String, _ subtype: String? = nil, uuid: String) async throws -> Receipt {
        let reason = type == "CONSUMPTION_REQUEST" ? "OTHER" : nil
        return try await notify(type, subtype, told.transaction, told.renewal, reason: reason, uuid: uuid)
    }
}

@Test(arguments: refundRows + beginningRows + changeRows + endRows + otherRows)
func notificationRow(_ row: NotificationRow) async throws {
    let desk = try await TestDesk()
    for (index, told) in row.known.enumerated() {
        desk.clock.set(on(0) + .minutes(Int64(index)))
        #expect(try await desk.tell(told, told.type ?? row.type, uuid: "known-\(index)") == .accepted)
    }
    desk.clock.set(on(row.day))
    let ids = (row.known + [row.told]).compactMap(\.transaction?.transactionId)
    let known = Array(Set(ids)).sorted()
    for expected in [Receipt.accepted, .duplicate] {
        #expect(try await desk.tell(row.told, row.type, row.subtype, uuid: "told") == expected)
        #expect(try await desk.sketch(known) == row.ledger)
    }
    let entry = try #require(try await desk.entry("told"))
    #expect(entry.result == .accepted && entry.rawNotificationType == row.type && entry.rawSubtype == row.subtype)
    #expect(entry.transactionID?.rawValue == row.told.transaction?.transactionId)
    #expect(entry.signedDate == on(row.day) && entry.rawEnvironment == "Production")
    #expect(try await desk.differences().isEmpty)
}

@Test func everyTypeOfAppleIsARow() {
    let rows = refundRows + beginningRows + changeRows + endRows + otherRows
    let elsewhere: Set<String> = ["RESCIND_CONSENT", "UNCLAIM_SEATS", "EXTERNAL_PURCHASE_TOKEN"]  // ContainerTests
    #expect(Set(rows.map(\.type)).union(elsewhere).isSuperset(of: NotificationType.allCases.map(\.rawValue)))
    let subtypes: Set<String> = ["SUMMARY", "UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER"]
    #expect(Set(rows.compactMap(\.subtype)).union(subtypes).isSuperset(of: NotificationSubtype.allCases.map(\.rawValue)))
}
