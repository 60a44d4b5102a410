import AppStore
import Domain
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServerAPITokenTests {
    private let accepted = [RawServer.Reply](repeating: .response(202), count: 3)

    @Test("field report 76: header, claims and signature of a token") func headerClaimsAndSignature() async throws {
        let store = ScriptedAppStore(accepted)
        _ = await store.send()
        let token = try #require(store.calls.first.flatMap(BearerToken.init))
        #expect(token.isSigned)
        #expect(token.header == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
        #expect(Set(token.claims.keys) == ["iss", "iat", "exp", "aud", "bid"])
        #expect(token.claims["iss"] as? String == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(token.claims["aud"] as? String == "appstoreconnect-v1")
        #expect(token.claims["bid"] as? String == "com.example")
        let issued = try #require(token.claims["iat"] as? Int)
        let expires = try #require(token.claims["exp"] as? Int)
        #expect(issued == 1_800_000_000)
        #expect((300...1200).contains(expires - issued))
    }

    @Test func aTokenIsReusedWhileItLasts() async {
        let store = ScriptedAppStore(accepted)
        _ = await store.send()
        store.advance(by: .minutes(13))
        _ = await store.send()
        let tokens = Set(store.calls.map { $0.headers["authorization"] })
        #expect(tokens.count == 1)
    }

    @Test("field report 76: calls an hour apart use different tokens") func callsAnHourApartUseDifferentTokens() async throws {
        let store = ScriptedAppStore(accepted)
        _ = await store.send()
        store.advance(by: .minutes(61))
        _ = await store.send()
        let second = try #require(store.calls.last.flatMap(BearerToken.init))
        #expect(store.calls[0].headers["authorization"] != store.calls[1].headers["authorization"])
        #expect(second.isSigned)
        #expect(second.claims["iat"] as? Int == 1_800_003_660)
    }

    /// A token that is valid for seconds only might be refused when it arrives.
    @Test func aTokenNearItsEndIsNotUsed() async throws {
        let store = ScriptedAppStore(accepted)
        _ = await store.send()
        store.advance(by: .minutes(14))
        _ = await store.send()
        let second = try #require(store.calls.last.flatMap(BearerToken.init))
        #expect(second.claims["iat"] as? Int == 1_800_000_840)
    }

    @Test func aClockSetBackMakesANewToken() async throws {
        let store = ScriptedAppStore(accepted)
        _ = await store.send()
        store.advance(by: .hours(-2))
        _ = await store.send()
        let second = try #require(store.calls.last.flatMap(BearerToken.init))
        #expect(second.claims["iat"] as? Int == 1_799_992_800)
    }
}
