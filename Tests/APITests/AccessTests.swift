import Domain
import HTTPServer
import Store
import Testing

@testable import API

/// Who may do what.
@Suite struct AccessTests {
    @Test func everyRouteButTheOpenOnesWantsAToken() async throws {
        let world = try await World()
        for route in DeskAPI.routes {
            let path = route.path.text.replacing("{app}", with: "acme").replacing("{", with: "").replacing("}", with: "")
            let reply = await world.send(route.method.rawValue, path, token: nil)
            guard case .token = route.access else {
                #expect(reply.status != 401 && reply.status != 403, "\(path)")
                continue
            }
            #expect(reply.status == 401 && reply.code == "unauthorized", "\(path)")
            #expect(reply.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        }
        #expect(
            DeskAPI.routes.filter { $0.access == .open }.map(\.operation.id) == [
                "receiveNotification", "getHealth", "getReadiness", "getDescription",
            ])
    }

    @Test(arguments: ["", "x", "admin-toke", "admin-tokenn", "ADMIN-TOKEN", String(repeating: "x", count: 600)])
    func refusesAWrongToken(_ token: String) async throws {
        let world = try await World()
        #expect(await world.send("GET", "/v1/apps/acme/cases", token: token).status == 401)
    }

    @Test func scopesEncloseEachOther() async throws {
        let world = try await World()
        for scope in TokenRow.Scope.allCases { try await world.addToken("token-\(scope)", scope) }
        let act = #"{"consented":true,"source":"in-app dialog"}"#
        for (scope, mayWrite) in [(TokenRow.Scope.read, false), (.write, true), (.admin, true)] {
            #expect(await world.send("GET", "/v1/apps/acme/cases", token: "token-\(scope)").status == 200)
            let reply = await world.send("PUT", "/v1/apps/acme/customers/c/consent", act, token: "token-\(scope)")
            #expect(reply.status == (mayWrite ? 200 : 403) && (mayWrite || reply.code == "forbidden"))
        }
    }

    @Test func aRevokedTokenEndsWithinSeconds() async throws {
        let world = try await World()
        try await world.addToken("short", .read)
        #expect(await world.send("GET", "/v1/apps/acme/cases", token: "short").status == 200)
        let now = world.clock.now()
        #expect(try await world.store.write { tx throws(StoreError) in try tx.revokeToken(name: "short-read", at: now) })
        world.clock.advance(.seconds(3))
        #expect(await world.send("GET", "/v1/apps/acme/cases", token: "short").status == 401)
    }

    @Test func judgesTheTokenBeforeWhatIsThere() async throws {
        let world = try await World()
        #expect(await world.send("GET", "/v1/apps/nobody/cases", token: nil).status == 401)
        #expect(await world.send("GET", "/v1/apps/nobody/cases").code == "not-found")
        #expect(await world.send("GET", "/v1/apps/acme/cases/1", token: nil).status == 401)
    }

    @Test func anUnknownPathOrMethodSaysSo() async throws {
        let world = try await World()
        #expect(await world.send("GET", "/v1/apps/acme/nothing").code == "not-found")
        #expect(await world.send("GET", "/").status == 404)
        let reply = await world.send("DELETE", "/v1/apps/acme/customers/c/consent")
        #expect(reply.status == 405 && reply.code == "method-not-allowed" && reply.header("Allow") == "GET, HEAD, PUT")
        #expect(await world.send("HEAD", "/v1/apps/acme/cases").status == 200)
    }
}
