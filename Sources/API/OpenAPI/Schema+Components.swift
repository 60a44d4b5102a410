import Domain
import Store

extension Schema {
    /// The schemas that operations refer to by name.
    static let components: KeyValuePairs<String, Schema> = [
        "Problem": .object(
            [
                "type": .string, "title": .string, "status": .integer, "code": .string.described("Stable: act on this."),
                "detail": .string.described("What to do, in words."), "field": .string.described("The member or parameter at fault."),
            ], optional: ["field"]),
        "Money": Schema.object(["amount": .integer.described("Thousandths of the currency's unit."), "currency": .string])
            .described(
                "From Apple's signed list price, so an estimate: what reaches the developer is less. Never summed across currencies."),
        "Receipt": .object(
            ["result": .word(["accepted", "duplicate", "quarantined"]), "reason": .string.described("Why it is quarantined.")],
            optional: ["reason"]),
        "Case": refundCase,
        "Round": round,
        "Decision": decision,
        "Answer": answer,
        "Refund": refund,
        "Entitlements": .object([
            "asOf": .instant, "entitlements": .array(of: .reference("Entitlement")), "balances": .array(of: .reference("Balance")),
        ]),
        "Entitlement": entitlement,
        "Commitment": .object([
            "state": .word(CommitmentProgress.State.self), "billingPeriodNumber": .integer.orNull, "totalBillingPeriods": .integer.orNull,
            "expiresDate": .instant.orNull, "endsAfterTerm": .boolean,
        ]),
        "Balance": .object(["productId": .string, "purchased": .integer, "refunded": .integer, "net": .integer]),
        "Customer": customer,
        "Consent": .object([
            "at": .instant, "consented": .boolean, "source": .string, "textVersion": .string.orNull,
            "auditHash": .string.orNull.described("Of its link in the audit trail: `refund-desk audit verify --hash` proves it."),
        ]),
        "ConsentHistory": .object([
            "items": .array(of: .reference("Consent")), "nextCursor": Schema.null, "mode": consentMode, "attestation": attestation,
        ]),
        "Outages": .object([
            "items": .array(
                of: .object([
                    "from": .instant, "to": .instant, "status": undelivered,
                    "origin": .word(["configured", "recorded"]).described("Only recorded ones are replaced."),
                ])), "nextCursor": Schema.null,
        ]),
        "AuditEntry": .object([
            "position": .integer, "at": .instant, "kind": .word(LogEntry.Kind.audited.map(\.rawValue)),
            "environment": .word(Environment.self).orNull.described("Null: it concerns the desk as a whole."),
            "actor": .string.orNull.described("The token's name; null for the desk itself."), "transactionId": .string.orNull,
            "sequence": .integer, "content": .string.described("JSON, as it was sealed."), "salt": .string.orNull,
            "contentHash": .string, "hash": .string,
        ]),
        "Preference": .one(
            of: .object(["prefer": .word(RefundPreference.self), "answer": .null], optional: ["answer"]),
            .object(["answer": .word(["data-only", "none"]), "prefer": .null], optional: ["prefer"]), .null),
        "Tags": .object(["tags": .array(of: .text(atMost: TagsBody.longest), atMost: TagsBody.most)]),
        "Delivery": .object(["transactionId": .string, "status": .word(DeliveryStatus.self), "at": .instant]),
        "UserLink": .object(["originalTransactionId": .string, "userId": .string, "at": .instant]),
        "WebhookDelivery": .object([
            "id": .string, "eventId": .string.described("The `webhook-id`."), "url": .string.orNull, "type": .string.orNull,
            "state": .word(["pending", "delivered", "failed"]),
            "attempts": .array(of: .object(["at": .instant, "httpStatus": .integer.orNull, "error": .string.orNull])),
        ]),
        "OutboxItem": .object([
            "id": .string, "kind": .word(OutboxRow.Kind.self), "environment": .word(Environment.self),
            "subject": .string.described("What it is about: a transaction, an event, a notification, the app."),
            "receiver": .string.orNull.described("Its place in the app's configuration."),
            "event": .string.orNull.described("Of an alert."),
            "state": .word(OutboxRow.State.self), "tries": .integer, "createdAt": .instant, "dueAt": .instant.orNull,
            "attempts": .array(of: .object(["at": .instant, "status": .integer.orNull, "error": .string.orNull])),
        ]),
        "LogItem": .object(members: logItem),
        "LogEntry": .object(
            members: logItem + [
                ("signedPayload", .string),
                ("decoded", Schema(json: ["type": "object"]).described("The payload; a JWS inside it stands decoded in its place.")),
            ]),
    ]

    static let undelivered = Schema.word(DeliveryStatus.undelivered.map(\.rawValue))
    private static let consentMode = Schema.word(["perCustomer", "blanket"])
    private static let attestation = Schema.string.orNull.described("Blanket mode: who attests, and where the customers agreed.")

    private static let refundCase = Schema.object([
        "transactionId": .string, "originalTransactionId": .string, "environment": .word(Environment.self), "productId": .string.orNull,
        "productType": .string.orNull, "purchaseDate": .instant.orNull, "expiresDate": .instant.orNull, "price": .money.orNull,
        "storefront": .string.orNull,
        "customer": .object(["appTransactionId": .string.orNull, "appAccountToken": .string.orNull, "userId": .string.orNull]),
        "state": .word(RefundCase.State.self),
        "period": .object([
            "isCurrent": .boolean.orNull, "billingPlanType": .string.orNull, "billingPeriodNumber": .integer.orNull,
            "totalBillingPeriods": .integer.orNull, "commitmentExpiresDate": .instant.orNull,
        ]),
        "rounds": .array(of: .reference("Round")), "refund": .reference("Refund").orNull,
    ])

    private static let round = Schema.object([
        "number": .integer, "requestedAt": .instant, "deadline": .instant, "reason": .string.orNull,
        "notificationUUIDs": .array(of: .string), "decision": .reference("Decision").orNull, "answer": .reference("Answer").orNull,
        "outcome": .object(["kind": .word(["refunded", "declined"]), "at": .instant]).orNull,
    ])

    private static let decision = Schema.object([
        "kind": .word(["answer", "abstain", "hold"]), "rule": .string.orNull, "preference": .word(RefundPreference.self).orNull,
        "because": .array(of: .word(Because.self)), "holdUntil": .instant.orNull, "isCurrentPeriod": .boolean.orNull,
        "consent": .word(["given", "attested"]).orNull.described(
            "What an answer rests on: the customer's own consent, or the owner's attestation for all customers."),
        "warnings": .array(of: .object(["guideline": .string, "detail": .string])).described(
            "What a reviewer of Apple's could hold against it, with the guideline."),
        "trace": .array(of: .object(["rule": .string, "matched": .boolean, "failedOn": .string.orNull])),
    ])

    private static let answer = Schema.object([
        "status": .word(AnswerRecord.Status.self),
        "body": .any(of: Schema(json: ["type": "object"]), .null).described("What is sent to Apple; null before the first try."),
        "percentageSource": .word(["usage", "elapsedTime"]).orNull.described("How `consumptionPercentage` is known."),
        "attempts": .array(
            of: .object(["at": .instant, "httpStatus": .integer.orNull, "errorCode": .integer.orNull, "error": .string.orNull])),
    ])

    private static let refund = Schema.object(
        [
            "type": .string.orNull, "percentage": .integer.orNull.described("Thousandths of a percent."), "revocationDate": .instant.orNull,
            "revocationReason": .integer.orNull, "amount": .money.orNull, "reversedAt": .instant.orNull,
            "seats": .integer.described("Only where seats were refunded."),
        ], optional: ["seats"])

    private static let entitlement = Schema.object([
        "productId": .string, "subscriptionGroupIdentifier": .string.orNull, "originalTransactionId": .string, "transactionId": .string,
        "active": .boolean, "until": .instant.orNull.described("Null: for ever."), "state": .word(Entitlement.State.self),
        "ownership": .string, "willRenew": .boolean, "pendingProductId": .string.orNull, "commitment": .reference("Commitment").orNull,
    ])

    private static let customer = Schema.object([
        "environment": .word(Environment.self), "appTransactionIds": .array(of: .string), "appAccountTokens": .array(of: .string),
        "originalTransactionIds": .array(of: .string), "userIds": .array(of: .string),
        "consent": .word(["given", "attested", "absent", "withdrawn", "outdated"]), "preference": .reference("Preference"),
        "tags": .array(of: .string),
        "consentMode": consentMode, "attestation": attestation,
        "refundsRequested": .integer.described("Cases that were asked about."),
        "refundsGranted": .integer.described("Cases whose refund stands."),
        "recent": .object([
            "days": .integer.described("`repeatRefunder.days` of the configuration."), "requests": .integer.described("Rounds of asking."),
            "refunds": .integer,
        ]), "paid": .array(of: .money).described("Per currency."), "refunded": .array(of: .money).described("What stands, per currency."),
    ])

    private static let logItem: [(String, Schema)] = [
        ("notificationUUID", .string.orNull), ("notificationType", .string.orNull), ("subtype", .string.orNull),
        ("environment", .string.orNull), ("signedDate", .instant.orNull), ("receivedAt", .instant),
        ("result", .word(["accepted", "quarantined"])),
        ("reason", .string.orNull), ("source", .word(["live", "history", "client"])), ("transactionId", .string.orNull),
    ]
}
