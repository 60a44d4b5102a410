import AppStore
import HTTPServer
import Testing

@testable import API

/// What is asked for is described as it is taken: a generated client sends all of it and nothing else.
@Suite struct RequestSchemaTests {
    /// A body, and whether the desk takes it and the description allows it.
    struct Row: Sendable {
        var method = "PUT"
        var path: String
        var body: String
        var isTaken: Bool
    }

    private static func usage(_ subject: String, _ quantity: String = "1", id: String = #""e""#) -> String {
        #"{"events":[{"id":\#(id),\#(subject),"meter":"m","quantity":\#(quantity),"at":1}]}"#
    }

    static let rows = [
        Row(path: "/transactions/1/user", body: #"{"userId":7}"#, isTaken: true),
        Row(path: "/transactions/1/user", body: #"{"userId":18446744073709551615}"#, isTaken: true),
        Row(path: "/transactions/1/user", body: #"{"userId":"u"}"#, isTaken: true),
        Row(path: "/transactions/1/user", body: #"{"userId":true}"#, isTaken: false),
        Row(method: "POST", path: "/usage", body: usage(#""customer":"c","transactionId":null"#), isTaken: true),
        Row(method: "POST", path: "/usage", body: usage(#""transactionId":5"#, id: "6"), isTaken: true),
        Row(method: "POST", path: "/usage", body: usage(#""customer":"c","transactionId":"1""#), isTaken: false),
        Row(method: "POST", path: "/usage", body: usage(#""x":1"#), isTaken: false),
        Row(path: "/customers/c/preference", body: "null", isTaken: true),
        Row(path: "/customers/c/preference", body: #"{"answer":"none"}"#, isTaken: true),
        Row(path: "/customers/c/preference", body: #"{"prefer":"DECLINE","answer":null}"#, isTaken: true),
        Row(path: "/customers/c/preference", body: #"{"prefer":"DECLINE","answer":"none"}"#, isTaken: false),
        Row(path: "/customers/c/preference", body: "{}", isTaken: false),
    ]

    @Test func bodiesAreDescribedAsTheyAreTaken() async throws {
        let world = try await World()
        for row in RequestSchemaTests.rows {
            let reply = await world.send(row.method, "/v1/apps/acme" + row.path, row.body)
            #expect((reply.status < 300) == row.isTaken, "\(row.path) \(row.body): \(reply.text)")
            let request = HTTPRequest(method: row.method, path: "/v1/apps/acme" + row.path)
            let faults = try #require(Description.faults(ofBody: row.body, to: request))
            #expect(faults.isEmpty == row.isTaken, "\(row.path) \(row.body): \(faults)")
        }
    }

    @Test func textIsCountedInCharactersAsASchemaCountsThem() async throws {
        let world = try await World()
        let longest = String(repeating: "é🚀", count: 50)
        #expect(await world.put("/customers/c/tags", #"{"tags":["\#(longest)"]}"#).status == 200)
        #expect(await world.put("/customers/c/tags", #"{"tags":["\#(longest)x"]}"#)["field"] == "tags[0]")
        #expect(Description.document["components.schemas.Tags.properties.tags.items.maxLength"] == 100)
    }

    /// The server answers these before a route is found.
    @Test func everyOperationTellsOfTheServersOwnRefusals() {
        for route in DeskAPI.routes {
            let statuses = Set(route.problems.map(\.status))
            #expect(statuses.isSuperset(of: [400, 408, 413, 414, 431, 503]), "\(route.path.text)")
        }
    }
}
