import Crypto
import Domain
import Testing

@testable import AppStoreSimulator

struct TokenTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var isAccepted: Bool
        var token: TestToken
        init(_ name: String, _ token: TestToken, isAccepted: Bool = false) {
            testDescription = name
            self.isAccepted = isAccepted
            self.token = token
        }
    }
    static let seconds = noon.milliseconds / 1000
    static let right = TestToken()
    static let rows: [Row] = [
        Row("right", right, isAccepted: true),
        Row("an hour long", right.with("exp", .integer(seconds + 3600)), isAccepted: true),
        Row("over an hour long", right.with("exp", .integer(seconds + 3601))),
        Row("expired", right.with("exp", .integer(seconds))),
        Row("no exp", right.with("exp", nil)),
        Row("exp is text", right.with("exp", "soon")),
        Row("no iat, as Apple's Python library", right.with("iat", nil), isAccepted: true),
        Row("no iat, too long", right.with("iat", nil).with("exp", .integer(seconds + 3601))),
        Row("issued in the future", right.with("iat", .integer(seconds + 60))),
        Row("another issuer", right.with("iss", "other")),
        Row("another audience", right.with("aud", "appstoreconnect-v2")),
        Row("unknown app", right.with("bid", "com.example.unknown")),
        Row("no app", right.with("bid", nil)),
        Row("another algorithm", right.withHeader(["alg": "ES384", "kid": "SIM", "typ": "JWT"])),
        Row("another key id", right.withHeader(["alg": "ES256", "kid": "OTHER", "typ": "JWT"])),
        Row("no type", right.withHeader(["alg": "ES256", "kid": "SIM"])),
        Row("another key", TestToken.withOtherKey),
    ]

    @Test(arguments: rows) func tokens(_ row: Row) throws {
        var store = TestStore()
        let id = try store.buy(.coins100)
        let reply = store.call("GET", "/inApps/v1/transactions/\(id)", token: row.token)
        #expect(reply.status == (row.isAccepted ? 200 : 401))
        if !row.isAccepted { #expect(String(decoding: reply.body, as: UTF8.self) == "Unauthenticated\n") }
    }

    @Test(arguments: [[], [("Authorization", "")], [("Authorization", "Bearer a.b.c")], [("Authorization", "Basic eDp5")]])
    func headersThatHoldNoToken(_ headers: [(String, String)]) {
        var store = TestStore()
        #expect(store.call("GET", "/inApps/v1/transactions/1", headers: headers).status == 401)
    }

    @Test func anotherAppsTransactionIsNotFound() throws {
        var store = TestStore()
        let id = try store.buy(.coins100)
        let reply = store.call("GET", "/inApps/v1/transactions/\(id)", token: TestToken(bundleID: "com.example.birdsong"))
        #expect(reply.errorCode == 4_040_010)
    }
}

extension TestToken {
    fileprivate static var withOtherKey: TestToken {
        var token = TestToken()
        token.key = .generate()
        return token
    }
}
