import Domain
import Foundation
import HTTPClient
import Synchronization

/// Something of the owner's at which messages of the desk arrive.
protocol Destination: Sendable {
    var name: String { get }
    var host: String { get }
    func take(_ request: HTTPClientRequest)
}

extension Receiver: Destination {
    var host: String { "receiver-\(name).test" }
}

/// Keeps what arrives: alerts, or Apple's bodies as they are passed on.
final class Sink: Destination {
    let name: String
    var host: String { "\(name).test" }
    var url: String { "https://\(host)/here" }
    private let taken = Mutex<[[UInt8]]>([])

    init(_ name: String) { self.name = name }

    func take(_ request: HTTPClientRequest) { taken.withLock { $0.append(request.body ?? []) } }

    var bodies: Set<[UInt8]> { taken.withLock { Set($0) } }
}

// What has arrived at the end.
extension FinalCheck {
    private struct Alert: Decodable {
        var event: String
        var environment: String
        var transactionId: String?
    }

    /// Every request that reached the desk in its window was told.
    func checkAlerts() {
        let told = Set(
            world.alerts.bodies.compactMap { try? JSONDecoder().decode(Alert.self, from: Data($0)) }
                .filter { ["request", "second-ask"].contains($0.event) }.map { "\($0.environment)/\($0.transactionId ?? "")" })
        chronicle.count("alerts", world.alerts.bodies.count)
        for request in world.expectedAlerts.sorted() where !told.contains(request) {
            chronicle.breach(.alertsArrive, "nobody was told of the request about \(request)")
        }
    }

    /// What was taken alive went on, and nothing else did.
    func checkForwards() {
        let (arrived, posted) = (world.forwards.bodies, world.posted)
        chronicle.count("forwards", arrived.count)
        for uuid in world.accepted.sorted() where posted[uuid, default: []].isDisjoint(with: arrived) {
            chronicle.breach(.forwardsArrive, "\(uuid) was not passed on")
        }
        let all = posted.values.reduce(into: Set<[UInt8]>()) { $0.formUnion($1) }
        let strange = arrived.subtracting(all).count
        if strange > 0 { chronicle.breach(.forwardsArrive, "\(strange) bodies were passed on that Apple never sent so") }
    }
}
