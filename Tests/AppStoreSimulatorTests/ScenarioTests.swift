import Domain
import HTTPClient
import Synchronization
import Testing

@testable import AppStoreSimulator

struct ScenarioTests {
    /// Plays every scenario against a desk that takes what is genuinely signed.
    @Test(arguments: Scenario.all.map(\.name)) func everyScenarioPasses(_ name: String) async throws {
        let scenario = try #require(Scenario.named(name))
        let desk = try FakeDesk { body in
            let jws = JSONValue(body)?.object?["signedPayload"]?.string ?? ""
            return isGenuine(jws) ? nil : 400
        }
        let running = Task { await desk.run() }
        defer { running.cancel() }
        let lines = Lines()
        var setting = ScenarioSetting(
            identity: testIdentity, url: desk.url, seed: 7, time: WallTime(), client: HTTPClient(userAgent: "test"),
            report: { lines.add($0) })
        setting.loadCount = 50
        #expect(await scenario.run(setting), "\(lines.all)")
        #expect(!desk.posts.isEmpty)
        let uuids = Set(desk.posts.map(\.uuid))
        if name != "duplicates" { #expect(uuids.count == desk.posts.count) }
        for post in desk.posts { checkPost(post) }
    }

    /// What holds of every message of the App Store.
    private func checkPost(_ post: FakeDesk.Post) {
        #expect(post.notification["version"] == "2.0")
        #expect(post.data["bundleId"] == post.transaction["bundleId"])
        #expect(post.data["environment"] == post.transaction["environment"])
        #expect((post.data["appAppleId"] != nil) == (post.data["environment"] == "Production"))
        let always = [
            "transactionId", "originalTransactionId", "productId", "type", "quantity", "purchaseDate", "originalPurchaseDate",
            "signedDate", "storefront", "storefrontId", "transactionReason", "inAppOwnershipType", "appTransactionId",
        ]
        for name in always { #expect(post.transaction[name] != nil, "\(post.type) without \(name)") }
        let isSubscription = post.transaction["type"] == "Auto-Renewable Subscription"
        #expect((post.transaction["expiresDate"] != nil) == isSubscription)
        #expect((post.data["status"] != nil) == isSubscription)
        #expect((post.data["consumptionRequestReason"] != nil) == (post.type == "CONSUMPTION_REQUEST"))
        if isSubscription {
            #expect(post.renewal["originalTransactionId"] == post.transaction["originalTransactionId"])
            for name in ["autoRenewStatus", "autoRenewProductId", "renewalDate", "recentSubscriptionStartDate", "environment"] {
                #expect(post.renewal[name] != nil, "\(post.type) without \(name)")
            }
        }
    }

    @Test func aDeskThatTakesForgeriesFails() async throws {
        let desk = try FakeDesk()
        let running = Task { await desk.run() }
        defer { running.cancel() }
        let lines = Lines()
        let setting = ScenarioSetting(
            identity: testIdentity, url: desk.url, seed: 7, time: WallTime(), client: HTTPClient(userAgent: "test"),
            report: { lines.add($0) })
        let forged = try #require(Scenario.named("forged"))
        #expect(!(await forged.run(setting)))
        #expect(lines.all.contains { $0.contains("not refused with 4xx") })
    }

    @Test func aDeskThatRefusesFails() async throws {
        let desk = try FakeDesk { _ in 503 }
        let running = Task { await desk.run() }
        defer { running.cancel() }
        let setting = ScenarioSetting(
            identity: testIdentity, url: desk.url, seed: 7, time: WallTime(), client: HTTPClient(userAgent: "test"), report: { _ in })
        let scenario = try #require(Scenario.named("request-granted"))
        #expect(!(await scenario.run(setting)))
    }
}

/// As strict as the chain allows: the header is the genuine one, byte for byte.
private func isGenuine(_ jws: String) -> Bool {
    let head = testIdentity.signer.sign("{}").prefix { $0 != "." }
    guard jws.hasPrefix(head + "."), isSigned(jws, by: testIdentity.chain),
        jws.split(separator: ".", omittingEmptySubsequences: false).count == 3
    else { return false }
    return decodedPayload(jws)?["notificationType"] != nil
}

final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
