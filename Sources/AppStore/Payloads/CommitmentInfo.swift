import Domain

/// Which month of a 12-month commitment a transaction pays.
///
/// - Source: TransactionCommitmentInfo, API 1.21.
package struct TransactionCommitmentInfo: WireObject, Equatable, Sendable {
    package var billingPeriodNumber: Int32?
    package var totalBillingPeriods: Int32?
    package var commitmentExpiresDate: Int64?
    package var commitmentPrice: Int64?

    private enum CodingKeys: String, CodingKey {
        case billingPeriodNumber, totalBillingPeriods, commitmentExpiresDate, commitmentPrice
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        billingPeriodNumber = try container.int32(.billingPeriodNumber)
        totalBillingPeriods = try container.int32(.totalBillingPeriods)
        commitmentExpiresDate = try container.milliseconds(.commitmentExpiresDate)
        commitmentPrice = try container.int64(.commitmentPrice)
    }
}

/// What follows a 12-month commitment.
///
/// - Source: RenewalCommitmentInfo, API 1.21.
package struct RenewalCommitmentInfo: WireObject, Equatable, Sendable {
    package var rawCommitmentAutoRenewStatus: Int32?
    package var commitmentAutoRenewProductId: String?
    package var rawCommitmentRenewalBillingPlanType: String?
    package var commitmentRenewalDate: Int64?
    package var commitmentRenewalPrice: Int64?

    private enum CodingKeys: String, CodingKey {
        case commitmentAutoRenewProductId, commitmentRenewalDate, commitmentRenewalPrice
        case rawCommitmentAutoRenewStatus = "commitmentAutoRenewStatus"
        case rawCommitmentRenewalBillingPlanType = "commitmentRenewalBillingPlanType"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawCommitmentAutoRenewStatus = try container.int32(.rawCommitmentAutoRenewStatus)
        commitmentAutoRenewProductId = try container.text(.commitmentAutoRenewProductId)
        rawCommitmentRenewalBillingPlanType = try container.text(.rawCommitmentRenewalBillingPlanType)
        commitmentRenewalDate = try container.milliseconds(.commitmentRenewalDate)
        commitmentRenewalPrice = try container.int64(.commitmentRenewalPrice)
    }
}

extension RenewalCommitmentInfo {
    package var commitmentAutoRenewStatus: AutoRenewStatus? { rawCommitmentAutoRenewStatus.flatMap(AutoRenewStatus.init(rawValue:)) }
    package var commitmentRenewalBillingPlanType: BillingPlanType? {
        rawCommitmentRenewalBillingPlanType.flatMap(BillingPlanType.init(rawValue:))
    }
}

/// Who hands out the seats of a multi-seat subscription, and how many were taken back.
///
/// - Source: multiSeatInfo, API 1.23. Apple gives no shape for `priceTiers`.
package struct MultiSeatInfo: WireObject, Equatable, Sendable {
    package var rawInvitationManagement: String?
    package var priceTiers: JSONValue?
    package var revokedSeatQuantity: Int32?

    private enum CodingKeys: String, CodingKey {
        case priceTiers, revokedSeatQuantity
        case rawInvitationManagement = "invitationManagement"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rawInvitationManagement = try container.text(.rawInvitationManagement)
        priceTiers = try container.nested(.priceTiers)
        revokedSeatQuantity = try container.int32(.revokedSeatQuantity)
    }
}

extension MultiSeatInfo {
    package var invitationManagement: InvitationManagement? { rawInvitationManagement.flatMap(InvitationManagement.init(rawValue:)) }
}
