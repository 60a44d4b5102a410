/// What must agree between a notification and the payloads in it: each is signed on its own, so a genuine one of another app,
/// customer or kind could have been put there.
extension ResponseBodyV2DecodedPayload {
    /// - Returns: What does not agree; nil if all does.
    func fault(
        transaction: JWSTransactionDecodedPayload?, renewalInfo: JWSRenewalInfoDecodedPayload?,
        appTransaction: AppTransactionDecodedPayload?
    ) -> String? {
        transaction.flatMap(fault(of:)) ?? renewalInfo.flatMap { fault(of: $0, beside: transaction) } ?? appTransaction.flatMap(fault(of:))
    }

    private func fault(of transaction: JWSTransactionDecodedPayload) -> String? {
        if transaction.transactionId == nil || transaction.bundleId == nil {
            return "signedTransactionInfo is no transaction: it lacks transactionId or bundleId"
        }
        if transaction.transaction == nil { return "the transaction lacks productId, purchaseDate or signedDate" }
        if transaction.bundleId != data?.bundleId { return "the transaction's bundleId is not the notification's" }
        if transaction.rawEnvironment != data?.rawEnvironment { return "the transaction's environment is not the notification's" }
        return nil
    }

    /// Every member of a renewal info is optional to a decoder, so a transaction would pass for one.
    private func fault(of renewalInfo: JWSRenewalInfoDecodedPayload, beside transaction: JWSTransactionDecodedPayload?) -> String? {
        if renewalInfo.rawAutoRenewStatus == nil || renewalInfo.renewalDate == nil {
            return "signedRenewalInfo is no renewal info: it lacks autoRenewStatus or renewalDate"
        }
        if renewalInfo.renewalInfo == nil { return "the renewal info lacks originalTransactionId or signedDate" }
        if renewalInfo.rawEnvironment != data?.rawEnvironment { return "the renewal info's environment is not the notification's" }
        if let transaction, transaction.originalTransactionId != renewalInfo.originalTransactionId {
            return "transaction and renewal info have different values of originalTransactionId"
        }
        return nil
    }

    private func fault(of appTransaction: AppTransactionDecodedPayload) -> String? {
        if appTransaction.bundleId != appData?.bundleId { return "the app transaction's bundleId is not the notification's" }
        if appTransaction.rawReceiptType != appData?.rawEnvironment { return "the app transaction's receiptType is not the notification's" }
        if appTransaction.receiptType == .production, appTransaction.appAppleId != appData?.appAppleId {
            return "the app transaction's appAppleId is not the notification's"
        }
        return nil
    }
}
