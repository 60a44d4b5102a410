import Domain
import Postgres
import Store

private enum SQL {
    static let find: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, type, purchased_at_ms, signed_at_ms,
            app_transaction_id, app_account_token, web_order_line_item_id, subscription_group, quantity, original_purchase_at_ms,
            expires_at_ms, storefront, price, currency, transaction_reason, ownership, is_upgraded,
            offer_type, offer_identifier, offer_discount_type, offer_period,
            revoked_at_ms, revocation_reason, revocation_type, revocation_percentage,
            billing_plan_type, has_commitment, billing_period_number, total_billing_periods, commitment_expires_at_ms, commitment_price,
            is_advanced_commerce, previous_original_transaction_id, invitation_management, revoked_seat_quantity,
            notification_uuid, payload_sha256, last_reversal_ms
        FROM purchases WHERE ledger_id = $1 AND transaction_id = $2
        """
    static let ofChain: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, type, purchased_at_ms, signed_at_ms,
            app_transaction_id, app_account_token, web_order_line_item_id, subscription_group, quantity, original_purchase_at_ms,
            expires_at_ms, storefront, price, currency, transaction_reason, ownership, is_upgraded,
            offer_type, offer_identifier, offer_discount_type, offer_period,
            revoked_at_ms, revocation_reason, revocation_type, revocation_percentage,
            billing_plan_type, has_commitment, billing_period_number, total_billing_periods, commitment_expires_at_ms, commitment_price,
            is_advanced_commerce, previous_original_transaction_id, invitation_management, revoked_seat_quantity,
            notification_uuid, payload_sha256, last_reversal_ms
        FROM purchases WHERE ledger_id = $1 AND original_transaction_id = $2 ORDER BY purchased_at_ms, transaction_id
        """
    // The names first: a customer has few, the ledger has millions of purchases.
    static let ofCustomer: StaticString = """
        SELECT transaction_id, original_transaction_id, product_id, type, purchased_at_ms, signed_at_ms,
            app_transaction_id, app_account_token, web_order_line_item_id, subscription_group, quantity, original_purchase_at_ms,
            expires_at_ms, storefront, price, currency, transaction_reason, ownership, is_upgraded,
            offer_type, offer_identifier, offer_discount_type, offer_period,
            revoked_at_ms, revocation_reason, revocation_type, revocation_percentage,
            billing_plan_type, has_commitment, billing_period_number, total_billing_periods, commitment_expires_at_ms, commitment_price,
            is_advanced_commerce, previous_original_transaction_id, invitation_management, revoked_seat_quantity,
            notification_uuid, payload_sha256, last_reversal_ms
        FROM aliases JOIN purchases
            ON purchases.ledger_id = aliases.ledger_id AND purchases.original_transaction_id = aliases.value
        WHERE aliases.customer_id = $1 AND aliases.kind = $2 ORDER BY purchased_at_ms, transaction_id
        """
    static let put: StaticString = """
        INSERT INTO purchases (
            ledger_id, transaction_id, original_transaction_id, product_id, type, purchased_at_ms, signed_at_ms,
            app_transaction_id, app_account_token, web_order_line_item_id, subscription_group, quantity, original_purchase_at_ms,
            expires_at_ms, storefront, price, currency, transaction_reason, ownership, is_upgraded,
            offer_type, offer_identifier, offer_discount_type, offer_period,
            revoked_at_ms, revocation_reason, revocation_type, revocation_percentage,
            billing_plan_type, has_commitment, billing_period_number, total_billing_periods, commitment_expires_at_ms, commitment_price,
            is_advanced_commerce, previous_original_transaction_id, invitation_management, revoked_seat_quantity,
            notification_uuid, payload_sha256, last_reversal_ms
        ) VALUES (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
            $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41
        )
        ON CONFLICT (ledger_id, transaction_id) DO UPDATE SET
            original_transaction_id = excluded.original_transaction_id, product_id = excluded.product_id, type = excluded.type,
            purchased_at_ms = excluded.purchased_at_ms, signed_at_ms = excluded.signed_at_ms,
            app_transaction_id = excluded.app_transaction_id, app_account_token = excluded.app_account_token,
            web_order_line_item_id = excluded.web_order_line_item_id, subscription_group = excluded.subscription_group,
            quantity = excluded.quantity, original_purchase_at_ms = excluded.original_purchase_at_ms,
            expires_at_ms = excluded.expires_at_ms, storefront = excluded.storefront, price = excluded.price,
            currency = excluded.currency, transaction_reason = excluded.transaction_reason, ownership = excluded.ownership,
            is_upgraded = excluded.is_upgraded, offer_type = excluded.offer_type, offer_identifier = excluded.offer_identifier,
            offer_discount_type = excluded.offer_discount_type, offer_period = excluded.offer_period,
            revoked_at_ms = excluded.revoked_at_ms, revocation_reason = excluded.revocation_reason,
            revocation_type = excluded.revocation_type, revocation_percentage = excluded.revocation_percentage,
            billing_plan_type = excluded.billing_plan_type, has_commitment = excluded.has_commitment,
            billing_period_number = excluded.billing_period_number, total_billing_periods = excluded.total_billing_periods,
            commitment_expires_at_ms = excluded.commitment_expires_at_ms, commitment_price = excluded.commitment_price,
            is_advanced_commerce = excluded.is_advanced_commerce,
            previous_original_transaction_id = excluded.previous_original_transaction_id,
            invitation_management = excluded.invitation_management, revoked_seat_quantity = excluded.revoked_seat_quantity,
            notification_uuid = excluded.notification_uuid, payload_sha256 = excluded.payload_sha256,
            last_reversal_ms = excluded.last_reversal_ms
        """
}

extension PostgresSession {
    func purchase(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> Purchase? {
        guard let ledger = try number(of: ledger) else { return nil }
        return try postgres { try $0.first("purchases.find", SQL.find, ledger, id) { try Purchase($0) } }
    }

    func purchases(original: TransactionID, in ledger: Ledger) throws(StoreError) -> [Purchase] {
        guard let ledger = try number(of: ledger) else { return [] }
        return try postgres { try $0.rows("purchases.ofChain", SQL.ofChain, ledger, original) { try Purchase($0) } }
    }

    func purchases(of customer: CustomerID) throws(StoreError) -> [Purchase] {
        let chains = Alias.Kind.originalTransactionID.rawValue
        return try postgres { try $0.rows("purchases.ofCustomer", SQL.ofCustomer, customer.rawValue, chains) { try Purchase($0) } }
    }

    func put(_ purchase: Purchase, in ledger: Ledger) throws(StoreError) {
        let ledger = try numberForWriting(to: ledger)
        let (transaction, precedence) = (purchase.newest.value, purchase.newest.precedence)
        let commitment = transaction.commitment
        try postgres { connection in
            try connection.queue(
                "purchases.put", SQL.put,
                ledger, transaction.transactionID, transaction.originalTransactionID, transaction.productID, transaction.rawType,
                transaction.purchaseDate, precedence.signedDate,
                transaction.appTransactionID, transaction.appAccountToken, transaction.webOrderLineItemID,
                transaction.subscriptionGroupIdentifier, transaction.quantity, transaction.originalPurchaseDate,
                transaction.expiresDate, transaction.storefront, transaction.price, transaction.currency,
                transaction.rawTransactionReason, transaction.rawOwnershipType, transaction.isUpgraded,
                transaction.offerType, transaction.offerIdentifier, transaction.rawOfferDiscountType, transaction.offerPeriod,
                transaction.revocationDate, transaction.revocationReason, transaction.rawRevocationType, transaction.revocationPercentage,
                transaction.rawBillingPlanType, commitment != nil, commitment?.billingPeriodNumber, commitment?.totalBillingPeriods,
                commitment?.commitmentExpiresDate, commitment?.commitmentPrice,
                transaction.isAdvancedCommerce, transaction.previousOriginalTransactionID, transaction.rawInvitationManagement,
                transaction.revokedSeatQuantity,
                precedence.notificationUUID, precedence.payloadSHA256, purchase.lastReversal)
        }
    }
}

extension Purchase {
    fileprivate init(_ row: borrowing Row) throws(PostgresError) {
        var column = 0
        let transaction = try Transaction(row, &column)
        let precedence = Precedence(
            signedDate: transaction.signedDate, notificationUUID: try row.text(&column), payloadSHA256: try row.blob(&column))
        self.init(newest: Snapshot(transaction, precedence), lastReversal: try row.optionalTimestamp(&column))
    }
}

extension Transaction {
    fileprivate init(_ row: borrowing Row, _ column: inout Int) throws(PostgresError) {
        self.init(
            transactionID: try row.id(&column), originalTransactionID: try row.id(&column), productID: try row.id(&column),
            rawType: try row.text(&column), purchaseDate: try row.timestamp(&column), signedDate: try row.timestamp(&column))
        appTransactionID = try row.optionalID(&column)
        appAccountToken = try row.optionalID(&column)
        webOrderLineItemID = try row.optionalText(&column)
        subscriptionGroupIdentifier = try row.optionalText(&column)
        quantity = try row.int32(&column)
        originalPurchaseDate = try row.optionalTimestamp(&column)
        expiresDate = try row.optionalTimestamp(&column)
        storefront = try row.optionalText(&column)
        price = try row.optionalInt64(&column)
        currency = try row.optionalText(&column)
        rawTransactionReason = try row.optionalText(&column)
        rawOwnershipType = try row.optionalText(&column)
        isUpgraded = try row.bool(&column)
        offerType = try row.optionalInt32(&column)
        offerIdentifier = try row.optionalText(&column)
        rawOfferDiscountType = try row.optionalText(&column)
        offerPeriod = try row.optionalText(&column)
        revocationDate = try row.optionalTimestamp(&column)
        revocationReason = try row.optionalInt32(&column)
        rawRevocationType = try row.optionalText(&column)
        revocationPercentage = try row.optionalInt32(&column)
        rawBillingPlanType = try row.optionalText(&column)
        let hasCommitment = try row.bool(&column)
        let commitment = TransactionCommitment(
            billingPeriodNumber: try row.optionalInt32(&column), totalBillingPeriods: try row.optionalInt32(&column),
            commitmentExpiresDate: try row.optionalTimestamp(&column), commitmentPrice: try row.optionalInt64(&column))
        self.commitment = hasCommitment ? commitment : nil
        isAdvancedCommerce = try row.bool(&column)
        previousOriginalTransactionID = try row.optionalID(&column)
        rawInvitationManagement = try row.optionalText(&column)
        revokedSeatQuantity = try row.optionalInt32(&column)
    }
}
