import Foundation
import HTTPServer
import Testing

private let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl", "/usr/local/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite(.enabled(if: openssl != nil, "needs the openssl command"))
struct TLSTests {
    /// Runs openssl in a thread of its own; its standard output.
    private func run(_ arguments: [String], input: String = "") async throws -> String {
        let path = try #require(openssl)
        return try await onThread {
            let process = Process()
            let (inward, outward) = (Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            process.standardInput = inward
            process.standardOutput = outward
            process.standardError = FileHandle.nullDevice
            try process.run()
            try inward.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            let output = try outward.fileHandleForReading.readToEnd() ?? Data()
            try inward.fileHandleForWriting.close()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self)
        }
    }

    private func withCertificate(_ body: (HTTPServerConfiguration.TLS, _ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appendingPathComponent("key.pem"), folder.appendingPathComponent("certificate.pem"))
        _ = try await run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", key.path, "-out", certificate.path,
        ])
        let tls = HTTPServerConfiguration.TLS(
            certificatePEM: try String(contentsOf: certificate, encoding: .utf8),
            privateKeyPEM: try String(contentsOf: key, encoding: .utf8))
        try await body(tls, certificate.path)
    }

    @Test func servesOverTLS() async throws {
        try await withCertificate { tls, path in
            try await serving(configured { $0.tls = tls }) { port in
                let client = [
                    "s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-servername", "localhost", "-CAfile", path,
                    "-verify_hostname", "localhost", "-verify_return_error",
                ]
                let reply = try await run(
                    client, input: "POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
                #expect(reply.hasPrefix("HTTP/1.1 200 "))
                #expect(reply.hasSuffix("\nhi"))
                let refused = try await run(client, input: "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n")
                #expect(refused.hasPrefix("HTTP/1.1 413 "))
                let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"
                let chunks = String(repeating: chunk, count: 17) + "0\r\n\r\n"
                let chunked = try await run(
                    client, input: "POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
                #expect(chunked.hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test func aKeyOfAnotherCertificateIsTold() async throws {
        try await withCertificate { one, _ in
            try await withCertificate { other, _ in
                let mixed = HTTPServerConfiguration.TLS(certificatePEM: one.certificatePEM, privateKeyPEM: other.privateKeyPEM)
                for tls in [mixed, HTTPServerConfiguration.TLS(certificatePEM: "x", privateKeyPEM: "y")] {
                    let error = #expect(throws: HTTPServerError.self) {
                        _ = try HTTPServer(configuration: configured { $0.tls = tls }, handler: echo)
                    }
                    #expect(error?.code == .tls)
                }
            }
        }
    }
}
