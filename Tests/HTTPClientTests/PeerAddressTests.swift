import Testing

@testable import HTTPClient

@Test(arguments: [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255",
    "192.0.0.8", "192.168.1.1", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::",
    "2002:c0a8:101::1",
    "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
])
func addressesThatAreNotPublic(_ text: String) throws {
    let address = try #require(PeerAddress(text))
    #expect(!address.isPublic)
}

@Test(arguments: [
    "1.1.1.1", "17.0.0.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "223.255.255.255",
    "2001:4860:4860::8888", "2606:4700::1111", "::ffff:17.0.0.1", "64:ff9b::17.0.0.1", "2002:1100:1::1",
])
func addressesThatArePublic(_ text: String) throws {
    let address = try #require(PeerAddress(text))
    #expect(address.isPublic)
}

@Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "300.1.1.1", "12345::", "%"])
func noAddresses(_ text: String) { #expect(PeerAddress(text) == nil) }
