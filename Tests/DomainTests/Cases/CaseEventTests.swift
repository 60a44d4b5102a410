import Domain
import Testing

private func notification(_ type: String, _ subtype: String? = nil, _ change: (inout Transaction) -> Void = { _ in }) -> NotificationFact {
    var transaction = oneTime("1", "Consumable", day(0))
    change(&transaction)
    let precedence = Precedence(signedDate: hour(5), notificationUUID: "u", payloadSHA256: [])
    return NotificationFact(
        notificationUUID: NotificationUUID("u"), rawType: type, rawSubtype: subtype, signedDate: hour(5), rawReason: "LEGAL",
        transaction: Snapshot(transaction, precedence))
}

@Test(arguments: [
    ("CONSUMPTION_REQUEST", nil, CaseEvent.Kind.requested), ("CONSUMPTION_REQUEST", "NEWS", .requested), ("REFUND", nil, .refunded),
    ("REFUND", "NEWS", .refunded), ("REFUND", "SEATS", .seatsRefunded), ("REFUND_DECLINED", nil, .declined),
    ("REFUND_REVERSED", nil, .reversed), ("REVOKE", nil, nil), ("RESCIND_CONSENT", nil, nil), ("EXPIRED", "VOLUNTARY", nil),
    ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", nil), ("NEWS", nil, nil),
])
func whatANotificationSaysOfACase(_ type: String, _ subtype: String?, _ kind: CaseEvent.Kind?) {
    #expect(notification(type, subtype).caseEvent?.kind == kind)
}

@Test func everyOtherTypeSaysNothingOfACase() {
    let ofCases: Set<NotificationType> = [.consumptionRequest, .refund, .refundDeclined, .refundReversed]
    for type in NotificationType.allCases where !ofCases.contains(type) {
        #expect(notification(type.rawValue).caseEvent == nil, "\(type.rawValue)")
    }
}

@Test func aNotificationWithoutTransactionIsNoWordOnACase() {
    let fact = NotificationFact(notificationUUID: NotificationUUID("u"), rawType: "CONSUMPTION_REQUEST", signedDate: hour(5))
    #expect(fact.caseEvent == nil)
}

@Test func aRefundCarriesWhatTheTransactionSays() {
    let event = notification("REFUND") { $0 = $0.refunded(at: hour(4), percentage: 40_000, type: .refundProrated) }.caseEvent
    #expect(event?.revocation == Revocation(date: hour(4), reason: 1, rawType: "REFUND_PRORATED", percentage: 40_000))
}

@Test func reasonZeroAndNoReasonDiffer() {
    let zero = notification("REFUND") { ($0.revocationDate, $0.revocationReason) = (hour(4), 0) }.caseEvent
    let none = notification("REFUND") { $0.revocationDate = hour(4) }.caseEvent
    #expect(zero?.revocation?.reason == 0)
    #expect(none?.revocation != nil && none?.revocation?.reason == nil)
}

@Test func aRefundWithoutDateCountsFromItsSigning() {
    let fact = notification("REFUND")
    #expect(fact.transaction?.value.revocationDate == hour(5))
    #expect(fact.caseEvent?.revocation?.date == hour(5))
}

@Test func aRevokeWithoutDateIsTheFamilys() {
    let fact = notification("REVOKE")
    #expect(fact.transaction?.value.revocationDate == hour(5))
    #expect(fact.transaction?.value.revocationType == .familyRevoke)
}

@Test func seatsLeaveThePurchaserWhateverDatesItCarries() {
    let fact = notification("REFUND", "SEATS") {
        ($0.revocationDate, $0.revokedSeatQuantity, $0.revocationPercentage) = (hour(4), 3, 60_000)
    }
    #expect(fact.transaction?.value.revocationDate == nil)
    #expect(fact.caseEvent?.revokedSeats == 3)
    #expect(fact.caseEvent?.revocation == Revocation(date: hour(5), percentage: 60_000))
}
