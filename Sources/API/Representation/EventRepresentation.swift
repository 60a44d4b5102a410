import Domain
import Foundation
import Ingest
import Store

/// The body of a webhook: what happened, and the full resulting state.
package func eventBody(_ event: DeskEvent) -> [UInt8] {
    let json: JSON = [
        "type": JSON(event.type),
        "timestamp": JSON(iso8601(event.at)),
        "id": JSON(event.id),
        "sequence": JSON(event.sequence),
        "data": .object(eventData(event)),
    ]
    return json.bytes
}

private func eventData(_ event: DeskEvent) -> [JSON.Member] {
    let subject = event.subject
    var members: [JSON.Member] = [
        .init(name: "app", value: JSON(event.ledger.app)),
        .init(name: "environment", value: JSON(event.ledger.environment)),
        .init(name: "transactionId", value: JSON(subject.transactionID)),
        .init(name: "originalTransactionId", value: JSON(subject.originalTransactionID)),
        .init(name: "productId", value: JSON(subject.productID)),
        .init(name: "customer", value: customer(event)),
        .init(name: "isCurrentPeriod", value: JSON(subject.isCurrentPeriod)),
        .init(name: "access", value: subject.access.map(JSON.init) ?? .null),
        .init(name: "case", value: subject.file.map { JSON($0, at: event.at) } ?? .null),
        .init(name: "entitlements", value: entitlements(event)),
    ]
    if let commitment = subject.commitment { members.append(.init(name: "commitment", value: JSON(commitment))) }
    if let seats = subject.seats { members.append(.init(name: "seats", value: JSON(seats))) }
    if let notification = subject.notification {
        members.append(.init(name: "notificationType", value: JSON(notification.rawType)))
        members.append(.init(name: "subtype", value: JSON(notification.rawSubtype)))
        members.append(.init(name: "notificationUUID", value: JSON(notification.notificationUUID)))
        members.append(.init(name: "signedDate", value: JSON(notification.signedDate)))
    }
    return members
}

private func customer(_ event: DeskEvent) -> JSON {
    func name(_ kind: Alias.Kind) -> JSON { JSON(event.aliases.first { $0.kind == kind }?.value) }
    return [
        "appTransactionId": name(.appTransactionID), "appAccountToken": name(.appAccountToken), "userId": JSON(event.userID),
    ]
}

private func entitlements(_ event: DeskEvent) -> JSON {
    guard let customer = event.customer else { return .array([]) }
    return .array(customer.entitlements(at: event.at).map(JSON.init))
}

extension JSON {
    init(_ access: Access) { self = ["active": JSON(access.active), "until": JSON(access.until)] }

    init(_ seats: Seats) {
        self = [
            "quantity": JSON(seats.quantity), "revokedSeatQuantity": JSON(seats.revokedSeatQuantity),
            "invitationManagement": JSON(seats.rawInvitationManagement),
        ]
    }
}

private func iso8601(_ instant: Timestamp) -> String {
    Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000).formatted(.iso8601WithMilliseconds)
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    fileprivate static var iso8601WithMilliseconds: Date.ISO8601FormatStyle { .init(includingFractionalSeconds: true) }
}
