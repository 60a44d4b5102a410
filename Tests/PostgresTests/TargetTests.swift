import Testing

@testable import Postgres

@Suite struct TargetTests {
    @Test func theDesksOwnParametersAreTakenOut() throws {
        let target = try Target(url: "postgres://u:p@db.example:5433/desk?sslmode=verify-full&pooling=transaction&writers=2&readers=7")
        #expect(target.connectionInfo == "postgres://u:p@db.example:5433/desk?sslmode=verify-full")
        #expect(target.name == "db.example:5433/desk")
        #expect(target.pooling == .transaction)
        #expect(target.writers == 2)
        #expect(target.readers == 7)
    }

    @Test(arguments: [
        "postgres://u:p@db/desk?pooling=statement", "postgres://u:p@db/desk?writers=0", "postgres://u:p@db/desk?nonsense=1",
        "postgres://u:secret-word@[db/desk", "mysql://u:p@db/desk",
    ])
    func aURLThatIsNoneIsRefusedWithoutShowingIt(_ url: String) {
        do {
            _ = try Target(url: url)
            Issue.record("\(url) was taken")
        } catch {
            #expect(error.code == .refused)
            #expect(!"\(error)".contains("secret-word"))
        }
    }

    @Test func thePasswordIsTakenOutOfMessages() throws {
        let target = try Target(url: "postgres://u:secret-word@db/desk")
        #expect(target.redacted("FATAL: secret-word is wrong\nsecret-word") == "FATAL: *** is wrong; ***")
    }
}
