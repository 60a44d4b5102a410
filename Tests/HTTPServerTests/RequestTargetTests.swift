import Testing

@testable import HTTPServer

struct RequestTargetTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var target: String
        var path: String?
        var segments: [String] = []
        var query = ""
        var testDescription: String { target }
    }

    @Test(arguments: [
        Row(target: "/", path: "/"),
        Row(target: "//a///b/", path: "//a///b/", segments: ["a", "b"]),
        Row(target: "/a%2Fb/%C3%A9%20x", path: "/a%2Fb/%C3%A9%20x", segments: ["a/b", "é x"]),
        Row(target: "/a+b", path: "/a+b", segments: ["a+b"]),
        Row(target: "/é", path: "/é", segments: ["é"]),
        Row(target: "/x?", path: "/x", segments: ["x"]),
        Row(target: "/x?a=1&a=2&b", path: "/x", segments: ["x"], query: "a:1,a:2,b:"),
        Row(target: "/x?a+b=c%2Bd+e&&=%3D?=", path: "/x", segments: ["x"], query: "a b:c+d e,:=?="),
        Row(target: "http://host:1/x?y=z", path: "/x", segments: ["x"], query: "y:z"),
        Row(target: "*", path: "*", segments: ["*"]),
        Row(target: "/%"), Row(target: "/%4"), Row(target: "/%4g"), Row(target: "/%-1"), Row(target: "/%FF"), Row(target: "/%C3"),
        Row(target: "/?%"), Row(target: "/?a=%zz"), Row(target: "/?%ED%A0%80"), Row(target: "/a b"), Row(target: "/\u{7F}"),
        Row(target: ""), Row(target: "x"), Row(target: "http://host"), Row(target: "ftp://host/x"),
    ])
    func parts(_ row: Row) {
        let target = RequestTarget(row.target)
        #expect(target?.path == row.path)
        #expect(target?.segments ?? [] == row.segments)
        #expect(target?.query.map { "\($0.name):\($0.value)" }.joined(separator: ",") ?? "" == row.query)
    }

    @Test func requestsMadeByHandTakeTheirSegmentsFromThePath() {
        #expect(HTTPRequest(path: "/a/b%20c").pathSegments == ["a", "b c"])
        let request = HTTPRequest(query: [("a", "1"), ("a", "2")], headers: [("X-Name", "v")])
        #expect(request.query("a") == "1")
        #expect(request.query("b") == nil)
        #expect(request.header("x-NAME") == "v")
        #expect(request.header("x-nam") == nil)
    }
}
