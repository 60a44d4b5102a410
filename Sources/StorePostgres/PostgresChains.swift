import Domain
import Postgres
import Store

private enum SQL {
    static let find: StaticString = """
        SELECT original_transaction_id, status_confirmed_at_ms, signed_at_ms, notification_uuid, payload_sha256,
            product_id, auto_renew_product_id, auto_renew_status, renewal_at_ms, renewal_price, currency, expiration_intent,
            is_in_billing_retry, grace_period_expires_at_ms, price_increase_status, offer_type, offer_identifier,
            app_transaction_id, app_account_token, recent_subscription_start_ms, renewal_billing_plan_type,
            has_commitment, commitment_auto_renew_product_id, commitment_auto_renew_status, commitment_renewal_billing_plan_type,
            commitment_renewal_at_ms, commitment_renewal_price
        FROM chains WHERE ledger_id = $1 AND original_transaction_id = $2
        """
    static let put: StaticString = """
        INSERT INTO chains (
            ledger_id, original_transaction_id, status_confirmed_at_ms, signed_at_ms, notification_uuid, payload_sha256,
            product_id, auto_renew_product_id, auto_renew_status, renewal_at_ms, renewal_price, currency, expiration_intent,
            is_in_billing_retry, grace_period_expires_at_ms, price_increase_status, offer_type, offer_identifier,
            app_transaction_id, app_account_token, recent_subscription_start_ms, renewal_billing_plan_type,
            has_commitment, commitment_auto_renew_product_id, commitment_auto_renew_status, commitment_renewal_billing_plan_type,
            commitment_renewal_at_ms, commitment_renewal_price
        ) VALUES (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
            $27, $28
        )
        ON CONFLICT (ledger_id, original_transaction_id) DO UPDATE SET
            status_confirmed_at_ms = excluded.status_confirmed_at_ms, signed_at_ms = excluded.signed_at_ms,
            notification_uuid = excluded.notification_uuid, payload_sha256 = excluded.payload_sha256,
            product_id = excluded.product_id, auto_renew_product_id = excluded.auto_renew_product_id,
            auto_renew_status = excluded.auto_renew_status, renewal_at_ms = excluded.renewal_at_ms,
            renewal_price = excluded.renewal_price, currency = excluded.currency, expiration_intent = excluded.expiration_intent,
            is_in_billing_retry = excluded.is_in_billing_retry, grace_period_expires_at_ms = excluded.grace_period_expires_at_ms,
            price_increase_status = excluded.price_increase_status, offer_type = excluded.offer_type,
            offer_identifier = excluded.offer_identifier, app_transaction_id = excluded.app_transaction_id,
            app_account_token = excluded.app_account_token, recent_subscription_start_ms = excluded.recent_subscription_start_ms,
            renewal_billing_plan_type = excluded.renewal_billing_plan_type, has_commitment = excluded.has_commitment,
            commitment_auto_renew_product_id = excluded.commitment_auto_renew_product_id,
            commitment_auto_renew_status = excluded.commitment_auto_renew_status,
            commitment_renewal_billing_plan_type = excluded.commitment_renewal_billing_plan_type,
            commitment_renewal_at_ms = excluded.commitment_renewal_at_ms,
            commitment_renewal_price = excluded.commitment_renewal_price
        """
}

extension PostgresSession {
    func chain(_ original: TransactionID, in ledger: Ledger) throws(StoreError) -> Chain? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres { try $0.first("chains.find", SQL.find, ledger, original) { try Chain($0) } }
    }

    func put(_ chain: Chain, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        let (renewal, precedence) = (chain.renewal?.value, chain.renewal?.precedence)
        let commitment = renewal?.commitment
        try postgres { connection in
            try connection.queue(
                "chains.put", SQL.put,
                ledger, chain.originalTransactionID, chain.statusConfirmedAt,
                precedence?.signedDate, precedence?.notificationUUID, precedence?.payloadSHA256,
                renewal?.productID, renewal?.autoRenewProductID, renewal?.autoRenewStatus, renewal?.renewalDate, renewal?.renewalPrice,
                renewal?.currency, renewal?.expirationIntent, renewal?.isInBillingRetryPeriod, renewal?.gracePeriodExpiresDate,
                renewal?.priceIncreaseStatus, renewal?.offerType, renewal?.offerIdentifier, renewal?.appTransactionID,
                renewal?.appAccountToken, renewal?.recentSubscriptionStartDate, renewal?.rawRenewalBillingPlanType,
                commitment != nil, commitment?.commitmentAutoRenewProductID, commitment?.commitmentAutoRenewStatus,
                commitment?.rawCommitmentRenewalBillingPlanType, commitment?.commitmentRenewalDate, commitment?.commitmentRenewalPrice)
        }
    }
}

extension Chain {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        self.init(originalTransactionID: try row.id(&column), statusConfirmedAt: try row.optionalTimestamp(&column))
        guard let signedDate = try row.optionalTimestamp(&column) else { return }
        let precedence = Precedence(
            signedDate: signedDate, notificationUUID: try row.text(&column), payloadSHA256: try row.blob(&column))
        renewal = Snapshot(try RenewalInfo(row, &column, of: originalTransactionID, signedDate: signedDate), precedence)
    }
}

extension RenewalInfo {
    fileprivate init(_ row: borrowing Row, _ column: inout Int, of original: TransactionID, signedDate: Timestamp) throws(PostgresError) {
        self.init(originalTransactionID: original, signedDate: signedDate)
        productID = try row.optionalID(&column)
        autoRenewProductID = try row.optionalID(&column)
        autoRenewStatus = try row.optionalInt32(&column)
        renewalDate = try row.optionalTimestamp(&column)
        renewalPrice = try row.optionalInt64(&column)
        currency = try row.optionalText(&column)
        expirationIntent = try row.optionalInt32(&column)
        isInBillingRetryPeriod = try row.optionalBool(&column)
        gracePeriodExpiresDate = try row.optionalTimestamp(&column)
        priceIncreaseStatus = try row.optionalInt32(&column)
        offerType = try row.optionalInt32(&column)
        offerIdentifier = try row.optionalText(&column)
        appTransactionID = try row.optionalID(&column)
        appAccountToken = try row.optionalID(&column)
        recentSubscriptionStartDate = try row.optionalTimestamp(&column)
        rawRenewalBillingPlanType = try row.optionalText(&column)
        guard try row.bool(&column) else { return }
        commitment = RenewalCommitment(
            commitmentAutoRenewProductID: try row.optionalID(&column), commitmentAutoRenewStatus: try row.optionalInt32(&column),
            rawCommitmentRenewalBillingPlanType: try row.optionalText(&column),
            commitmentRenewalDate: try row.optionalTimestamp(&column), commitmentRenewalPrice: try row.optionalInt64(&column))
    }
}
