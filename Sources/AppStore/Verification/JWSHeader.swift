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
        guard scan.value(of: "crit") == nil else { throw VerificationError(.malformed, "the header has crit") }
        guard let header = try? JSONDecoder().decode(Members.self, from: Data(bytes)) else {
            throw VerificationError(.malformed, "the header cannot be read")
        }
        guard header.alg == "ES256" else { throw VerificationError(.algorithm, "alg is not ES256") }
        guard let chain = header.x5c else { throw VerificationError(.malformed, "the header has no x5c, a list of texts") }
        // The third, the root, is only counted: the path ends at our own. Apple's own test data has another copy of its root there.
        guard chain.count == 3 else { throw VerificationError(.chainLength, "x5c has \(chain.count) certificates, not 3") }
        leaf = try Self.certificate(chain[0], "leaf")
        intermediate = try Self.certificate(chain[1], "intermediate")
    }

    /// nil where a member is missing or of another type.
    private struct Members: Decodable {
        let alg: String?
        let x5c: [String]?

        enum CodingKeys: String, CodingKey { case alg, x5c }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try? container.decode(String.self, forKey: .alg)
            x5c = try? container.decode([String].self, forKey: .x5c)
        }
    }

    private static func certificate(_ text: String, _ name: String) throws(VerificationError) -> Certificate {
        guard let der = Base64.decode(Array(text.utf8)) else { throw VerificationError(.certificate, "the \(name) is not base64 of DER") }
        do { return try Certificate(der: der) } catch { throw VerificationError(.certificate, "the \(name): \(error.detail)") }
    }
}
