import Crypto
import Foundation

/// The two members of a JWS header that count. Keys that a header may bring along (`jwk`, `jku`, `x5u`, `kid`) are not even read.
///
/// - Source: JWSDecodedHeader; RFC 7515 section 4.
struct JWSHeader {
    let leaf: Certificate
    let intermediate: Certificate

    /// - Parameter bytes: The decoded first part.
    init(_ bytes: [UInt8]) throws(VerificationError) {
        let scan = try JSONScan.ofObject(bytes.span)
        // RFC 7515 section 4.1.11: an extension that must be understood, and none is.
        guard scan.value(of: "crit", in: bytes.span) == nil else { throw VerificationError(.malformed, "the header has crit") }
        let header: Members
        do { header = try JSONDecoder().decode(Members.self, from: Data(bytes)) } catch {
            throw VerificationError(.malformed, "the header cannot be read")
        }
        guard header.alg == .string("ES256") else { throw VerificationError(.algorithm, "alg is not ES256") }
        let chain = try Self.chain(header.x5c)
        // The third, the root, is only counted: the path ends at our own. Apple's own test data has another copy of its root there.
        guard chain.count == 3 else { throw VerificationError(.chainLength, "x5c has \(chain.count) certificates, not 3") }
        leaf = try Self.certificate(chain[0], "leaf")
        intermediate = try Self.certificate(chain[1], "intermediate")
    }

    private struct Members: Decodable {
        var alg: JSONValue?
        var x5c: JSONValue?
    }

    private static func chain(_ value: JSONValue?) throws(VerificationError) -> [String] {
        guard case .array(let entries)? = value else { throw VerificationError(.malformed, "the header has no list x5c") }
        var chain: [String] = []
        for entry in entries {
            guard case .string(let text) = entry else { throw VerificationError(.malformed, "x5c has an entry that is not text") }
            chain.append(text)
        }
        return chain
    }

    private static func certificate(_ text: String, _ name: String) throws(VerificationError) -> Certificate {
        guard let der = Base64.decode(Array(text.utf8)) else { throw VerificationError(.certificate, "the \(name) is not base64 of DER") }
        do { return try Certificate(der: der) } catch { throw VerificationError(.certificate, "the \(name): \(error.detail)") }
    }
}
