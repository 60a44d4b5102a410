import HTTPServer
import Testing

struct TrustedProxiesTests {
    static let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8:aa::/48", "192.0.2.7"].compactMap { AddressBlock($0) })

    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var peer: String
        var headers: [String]
        var client: String?

        init(_ name: String, from peer: String = "10.0.0.1", _ headers: String..., is client: String?) {
            testDescription = name
            self.peer = peer
            self.headers = headers
            self.client = client
        }
    }

    @Test(arguments: [
        Row("a stranger is itself", from: "198.51.100.7", "203.0.113.5", is: "198.51.100.7"),
        Row("a proxy that names nobody", is: "10.0.0.1"),
        Row("whom the proxy names", "203.0.113.5", is: "203.0.113.5"),
        Row("what the client wrote before that is not believed", "192.0.2.99, 203.0.113.5", is: "203.0.113.5"),
        Row("nor where it names a proxy", "10.0.0.9, 203.0.113.5", is: "203.0.113.5"),
        Row("through several proxies", "6.6.6.6, 203.0.113.5, 10.3.0.1 ,\t192.0.2.7", is: "203.0.113.5"),
        Row("in several headers", "6.6.6.6", "203.0.113.5, 10.3.0.1", "10.4.0.1", is: "203.0.113.5"),
        Row("a proxy's own question", "10.3.0.1, 10.4.0.1", is: "10.3.0.1"),
        Row("garbage names nobody", "203.0.113.5, unknown", is: "10.0.0.1"),
        Row("garbage after a proxy", "203.0.113.5, _hidden, 10.3.0.1", is: "10.3.0.1"),
        Row("nothing after a comma", "203.0.113.5,", is: "10.0.0.1"),
        Row("an empty header", "", is: "10.0.0.1"),
        Row("commas", ",,,,", is: "10.0.0.1"),
        Row("NUL", "203.0.113.5\0.x", is: "10.0.0.1"),
        Row("an address that is none", "203.0.113.500", is: "10.0.0.1"),
        Row("other digits", "٢٠٣.0.113.5", is: "10.0.0.1"),
        Row("two addresses in one", "6.6.6.6 203.0.113.5", is: "10.0.0.1"),
        Row("an octet of zeros", "203.0.113.05", is: "10.0.0.1"),
        Row("a port", "203.0.113.5:4711", is: "203.0.113.5"),
        Row("a port that is none", "203.0.113.5:x", is: "10.0.0.1"),
        Row("IPv6", "2001:db8:1::5", is: "2001:db8:1:0"),
        Row("IPv6 in brackets", "[2001:db8:1:2::5]", is: "2001:db8:1:2"),
        Row("IPv6 with a port", "[2001:db8:1:2::5]:443", is: "2001:db8:1:2"),
        Row("IPv6 with a colon too many", "2001:db8:::1", is: "10.0.0.1"),
        Row("a bracket alone", "[", is: "10.0.0.1"),
        Row("brackets around nothing", "[]:1", is: "10.0.0.1"),
        Row("IPv4 inside IPv6", "::ffff:203.0.113.5", is: "203.0.113.5"),
        Row("a proxy's IPv4 inside IPv6", "203.0.113.5, ::ffff:10.3.0.1", is: "203.0.113.5"),
        Row("a proxy of IPv6", from: "2001:db8:aa::1", "203.0.113.5", is: "203.0.113.5"),
        Row("beside its block", from: "2001:db8:ab::1", "203.0.113.5", is: "2001:db8:ab:0"),
        Row("a scope", from: "fe80::1%eth0", is: "fe80:0:0:0"),
        Row("no address at all", from: "", "203.0.113.5", is: nil),
    ])
    func client(_ row: Row) {
        let headers = [(name: "Host", value: "desk.example")] + row.headers.map { (name: "x-forwarded-FOR", value: $0) }
        #expect(Self.proxies.client(of: HTTPRequest(headers: headers, remoteAddress: row.peer))?.host == row.client)
    }

    @Test func aLongHeaderIsReadToItsFirstStranger() {
        for text in [
            String(repeating: "10.0.0.2,", count: 4_000), String(repeating: "9.9.9.9,", count: 4_000),
            String(repeating: "x", count: 16_000),
        ] {
            let request = HTTPRequest(headers: [("X-Forwarded-For", text + ", 203.0.113.5, 10.0.0.2")], remoteAddress: "10.0.0.1")
            #expect(Self.proxies.client(of: request)?.host == "203.0.113.5")
            _ = Self.proxies.client(of: HTTPRequest(headers: [("X-Forwarded-For", text)], remoteAddress: "10.0.0.1"))
        }
    }

    @Test func nobodyIsTrustedUnlessNamed() {
        let request = HTTPRequest(headers: [("X-Forwarded-For", "203.0.113.5")], remoteAddress: "127.0.0.1")
        #expect(TrustedProxies([]).client(of: request)?.host == "127.0.0.1")
        #expect(TrustedProxies.local.client(of: request)?.host == "203.0.113.5")
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::a00:1", false),
        ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.6", false), ("0.0.0.0/0", "9.9.9.9", true), ("0.0.0.0/0", "2001:db8::1", false),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "2001:db8::1", true),
    ])
    func blocks(_ block: String, _ address: String, _ isInside: Bool) throws {
        #expect(try #require(AddressBlock(block)).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/ 8", "10/8",
        "caddy",
        "2001:db8::/129", "2001:db8::1/64", "fe80::1%eth0", "[::1]", "10.0.0.1:80", "*", " 10.0.0.1", "10.0.0.0/99999999999999999999",
    ])
    func noBlocks(_ text: String) { #expect(AddressBlock(text) == nil) }
}
