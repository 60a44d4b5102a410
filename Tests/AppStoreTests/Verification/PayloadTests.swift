import Domain
import Foundation
import Testing

@testable import AppStore

/// Decoding and encoding again gives the same members with the same values.
@Suite(Vectors.areThere)
struct ModelTests {
    private func roundTrip<Model: WireObject & Equatable>(_ name: String, _ type: Model.Type) throws {
        let data = Data(try Vectors.bytes("apple/models/\(name).json"))
        let encoded = try JSONEncoder().encode(try decodeBothWays(type, data))
        #expect(try JSONDecoder().decode(JSONValue.self, from: encoded) == JSONDecoder().decode(JSONValue.self, from: data), "\(name)")
    }

    @Test func everyModelSurvives() throws {
        for name in [
            "signedNotification", "signedConsumptionRequestNotification", "signedExternalPurchaseTokenNotification",
            "signedExternalPurchaseTokenSandboxNotification", "signedRescindConsentNotification", "signedSummaryNotification",
        ] {
            try roundTrip(name, ResponseBodyV2DecodedPayload.self)
        }
        for name in [
            "apiException", "apiTooManyRequestsException", "apiUnknownError", "appTransactionDoesNotExistError",
            "familyTransactionNotSupportedError", "invalidAppAccountTokenUUIDError", "invalidTransactionIdError",
            "transactionIdNotFoundError", "transactionIdNotOriginalTransactionId",
        ] {
            try roundTrip(name, APIErrorBody.self)
        }
        try roundTrip("signedTransaction", JWSTransactionDecodedPayload.self)
        try roundTrip("signedTransactionWithRevocation", JWSTransactionDecodedPayload.self)
        try roundTrip("signedRenewalInfo", JWSRenewalInfoDecodedPayload.self)
        try roundTrip("appData", AppData.self)
        try roundTrip("appTransaction", AppTransactionDecodedPayload.self)
        try roundTrip("appTransactionInfoResponse", AppTransactionInfoResponse.self)
        try roundTrip("transactionInfoResponse", TransactionInfoResponse.self)
        try roundTrip("transactionHistoryResponse", HistoryResponse.self)
        try roundTrip("transactionHistoryResponseWithMalformedEnvironment", HistoryResponse.self)
        try roundTrip("getRefundHistoryResponse", RefundHistoryResponse.self)
        try roundTrip("getAllSubscriptionStatusesResponse", StatusResponse.self)
        try roundTrip("getNotificationHistoryResponse", NotificationHistoryResponse.self)
        try roundTrip("getTestNotificationStatusResponse", CheckTestNotificationResponse.self)
        try roundTrip("requestTestNotificationResponse", SendTestNotificationResponse.self)
        try roundTrip("lookupOrderIdResponse", OrderLookupResponse.self)
        try roundTrip("extendSubscriptionRenewalDateResponse", ExtendRenewalDateResponse.self)
        try roundTrip("extendRenewalDateForAllActiveSubscribersResponse", MassExtendRenewalDateResponse.self)
        try roundTrip("getStatusOfSubscriptionRenewalDateExtensionsResponse", MassExtendRenewalDateStatusResponse.self)
    }

    @Test func aWrongTypeFailsCleanly() throws {
        let data = Data(try Vectors.bytes("apple/models/transactionHistoryResponseWithMalformedAppAppleId.json"))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(HistoryResponse.self, from: data) }
    }

    @Test func anUnknownValueIsKept() throws {
        let data = Data(try Vectors.bytes("apple/models/transactionHistoryResponseWithMalformedEnvironment.json"))
        let response = try JSONDecoder().decode(HistoryResponse.self, from: data)
        #expect(response.rawEnvironment == "LocalTestingxxx")
        #expect(response.environment == nil)
    }
}

/// By Foundation's decoder, as answers of the API, and by our own, as signed payloads: both must agree, on failing too.
private func decodeBothWays<Model: WireObject & Equatable>(_ type: Model.Type, _ data: Data) throws -> Model {
    let own = Result { try VerifiedJWS(payload: [UInt8](data), signedDateMilliseconds: nil).decode(type) }
    let foundations = Result { try JSONDecoder().decode(type, from: data) }
    #expect((try? own.get()) == (try? foundations.get()))
    return try foundations.get()
}

private func transaction(_ json: String) throws -> JWSTransactionDecodedPayload {
    try decodeBothWays(JWSTransactionDecodedPayload.self, Data(json.utf8))
}

@Test(arguments: [
    #"{"price":1.0}"#, #"{"price":-5}"#, #"{"price":-0}"#, #"{"price":1e3}"#, #"{"price":1.5}"#, #"{"price":9223372036854775807}"#,
    #"{"price":-9223372036854775808}"#, #"{"price":9223372036854775808}"#, #"{"price":"1"}"#, #"{"price":true}"#, #"{"price":[]}"#,
    #"{"quantity":2147483647}"#, #"{"quantity":2147483648}"#, #"{"quantity":-1}"#, #"{"isUpgraded":1}"#, #"{"isUpgraded":"true"}"#,
    #"{"isUpgraded":false}"#, #"{"isUpgraded":null}"#, #"{"productId":"a\"\u00e9\n\/\ud83d\ude00"}"#, #"{"productId":"é😀"}"#,
    #"{"productId":1}"#,
    #"{"productId":{}}"#, #"{"productId":"\ud800"}"#, #"{"commitmentInfo":{}}"#, #"{"commitmentInfo":[]}"#, #"{"commitmentInfo":"x"}"#,
    #"{ "commitmentInfo" : { "billingPeriodNumber" : 3 , "x" : {"billingPeriodNumber":4} } , "billingPeriodNumber" : 5 }"#,
    #"{"advancedCommerceInfo":{"items":[{"price":1.25,"x":null}]}}"#, #"{"advancedCommerceInfo":[1]}"#,
    #"{"multiSeatInfo":{"priceTiers":[[]]}}"#,
    #"{"expiresDate":1697679936049.7297}"#, #"{"expiresDate":-62135769600000}"#, #"{"expiresDate":"1"}"#,
    #"{"unknown":[1,"x",{"y":null}]}"#, "{}",
])
func bothDecodersAgree(_ json: String) { _ = try? transaction(json) }

@Test func errorsNameTheMember() {
    let jws = VerifiedJWS(payload: Array(#"{"data":{"appAppleId":"blue"}}"#.utf8), signedDateMilliseconds: nil)
    #expect(
        throws: VerificationError(.malformed, "the payload's data.appAppleId has another type than Apple documents")
    ) { try jws.decode(ResponseBodyV2DecodedPayload.self) }
}

@Test func identifiersAreNeverRounded() throws {
    let text = try transaction(#"{"transactionId":"2000001024998954","appTransactionId":"904897469903383919"}"#)
    #expect(text.transactionId == "2000001024998954")
    #expect(text.appTransactionId == "904897469903383919")
    #expect(try transaction(#"{"transactionId":904897469903383919}"#).transactionId == "904897469903383919")
    for wrong in ["904897469903383919000", "1.5", "true", "[]", "{}"] {
        #expect(throws: DecodingError.self) { try transaction(#"{"transactionId":\#(wrong)}"#) }
    }
}

@Test(arguments: [#"{"appAccountToken":""}"#, #"{"appAccountToken":null}"#, "{}"]) func noAccount(_ json: String) throws {
    #expect(try transaction(json).appAccountToken == nil)
}

@Test func accountTokensInEitherCaseAreOne() throws {
    let changes = ["appAccountToken": JSONValue.string("7E3FB20B-4CDB-47CC-936D-99D65F608138")]
    let token = try transaction(Sample.transaction(changes)).transaction?.appAccountToken
    #expect(token?.rawValue == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
}

@Test func pricesHave64Bits() throws {
    let changes: [String: JSONValue?] = ["price": .integer(2_499_000_000), "currency": "IDR"]
    #expect(try transaction(Sample.transaction(changes)).transaction?.money == Money(amount: 2_499_000_000, currency: "IDR"))
}

@Test func reasonZeroIsNotNoReason() throws {
    let date: [String: JSONValue?] = ["revocationDate": .integer(5)]
    let none = try transaction(Sample.transaction(date)).transaction
    let zero = try transaction(Sample.transaction(date.merging(["revocationReason": .integer(0)]) { $1 })).transaction
    #expect(none?.revocationReason == nil && zero?.revocationReason == 0)
    #expect(none?.revocationDate == Timestamp(milliseconds: 5) && zero?.revocationDate == none?.revocationDate)
}

@Test(arguments: ["1.5e400", "\"x\"", "9223372036854775808", "1e30"]) func aDateThatIsNone(_ value: String) {
    #expect(throws: DecodingError.self) { try transaction(#"{"purchaseDate":\#(value)}"#) }
}

@Test func unknownWordsAreKept() throws {
    let payload = try transaction(#"{"type":"Rental","revocationType":"FUTURE","offerType":99,"inAppOwnershipType":"LENT"}"#)
    #expect(payload.rawType == "Rental" && payload.type == nil)
    #expect(payload.rawRevocationType == "FUTURE" && payload.revocationType == nil)
    #expect(payload.rawOfferType == 99 && payload.offerType == nil)
    #expect(payload.rawInAppOwnershipType == "LENT" && payload.inAppOwnershipType == nil)
}

@Test func multiSeatMembers() throws {
    let json =
        #"{"multiSeatInfo":{"invitationManagement":"DEVELOPER","priceTiers":[{"x":1.25}],"revokedSeatQuantity":2},"additionalTransactionReason":"R"}"#
    let payload = try transaction(json)
    #expect(payload.multiSeatInfo?.invitationManagement == .developer)
    #expect(payload.multiSeatInfo?.revokedSeatQuantity == 2)
    #expect(
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(payload))
            == JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)))
}

@Test func commitmentReachesTheLedger() throws {
    let info = JSONValue.object([
        "billingPeriodNumber": .integer(3), "totalBillingPeriods": .integer(12), "commitmentPrice": .integer(119_880),
    ])
    let ledger = try transaction(Sample.transaction(["billingPlanType": "MONTHLY", "commitmentInfo": info])).transaction
    #expect(ledger?.isMonthlyCommitment == true)
    #expect(ledger?.commitment == TransactionCommitment(billingPeriodNumber: 3, totalBillingPeriods: 12, commitmentPrice: 119_880))
}
