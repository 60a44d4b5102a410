import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let transactionRoutes: [Route] = [
        .post(
            "/v1/apps/{app}/transactions",
            Operation(
                id: "receiveTransaction",
                summary: "Takes in a signed transaction from the app. It proves a purchase, not who is holding the phone.",
                body: .object(["signedTransactionInfo": .string]), answer: .json(.reference("Receipt")), problems: ProblemKind.rejections),
            DeskAPI.receiveTransaction),
        .put(
            "/v1/apps/{app}/transactions/{transactionId}/delivery",
            Operation(
                id: "putDelivery", summary: "Whether a purchase was delivered. The transaction need not be known yet.",
                query: [.environment], body: .object(["status": .word(DeliveryStatus.self)]), answer: .json(.reference("Delivery"))),
            DeskAPI.putDelivery),
        .put(
            "/v1/apps/{app}/transactions/{originalTransactionId}/user",
            Operation(
                id: "putUser", summary: "Links the owner's own user id to whoever made a purchase.", query: [.environment],
                body: .object(["userId": .id(atMost: Call.longestName)]), answer: .json(.reference("UserLink"))),
            DeskAPI.putUser),
    ]

    private func receiveTransaction(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app().id
        let jws = try call.body(as: TransactionBody.self).signedTransactionInfo
        let receipt: Receipt
        do { receipt = try await intake.receiveTransaction(jws, postedTo: app, source: .client) } catch { throw problem(error) }
        return HTTPResponse(JSON(receipt))
    }

    private func putDelivery(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let fact = DeliveryFact(
            transactionID: try call.transactionID(), status: try call.body(as: DeliveryBody.self).status.value, at: call.now)
        try await write(touching: ledger.touching(fact.transactionID.rawValue)) { tx throws(StoreError) in
            try OwnerDesk(app: app, ledger: ledger, tx: tx, now: fact.at, actor: call.actor).record(fact)
        }
        return HTTPResponse(["transactionId": JSON(fact.transactionID), "status": JSON(fact.status), "at": JSON(fact.at)])
    }

    private func putUser(_ call: Call) async throws(Problem) -> HTTPResponse {
        let app = try call.app()
        let ledger = try call.ledger()
        let user = UserID(try bounded(call.body(as: UserBody.self).userId.text, "userId", atMost: Call.longestName))
        let fact = UserLinkFact(originalTransactionID: try call.transactionID("originalTransactionId"), userID: user, at: call.now)
        try await write(touching: ledger.touching(fact.originalTransactionID.rawValue, user.rawValue)) { tx throws(StoreError) in
            try OwnerDesk(app: app, ledger: ledger, tx: tx, now: fact.at, actor: call.actor).record(fact)
        }
        return HTTPResponse(["originalTransactionId": JSON(fact.originalTransactionID), "userId": JSON(fact.userID), "at": JSON(fact.at)])
    }
}

private struct TransactionBody: Decodable { var signedTransactionInfo: String }
private struct DeliveryBody: Decodable { var status: WireWord<DeliveryStatus> }
private struct UserBody: Decodable { var userId: WireID }
