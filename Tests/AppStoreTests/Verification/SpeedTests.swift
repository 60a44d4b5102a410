import AppStore
import Crypto
import Foundation
import Testing

/// The design's figure: verify and decode one notification on a warm chain, in units of three bare verifications of the same bytes.
///
/// Meaningful in release alone, on a quiet machine: `REFUND_DESK_MEASURE=1 swift test -c release --filter SpeedTests`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["REFUND_DESK_MEASURE"] != nil, "set REFUND_DESK_MEASURE"))
struct SpeedTests {
    private let now = SigningChain.now

    @Test func warmVerification() throws {
        let chain = SigningChain.standard
        let padding = String(repeating: "x", count: 350)
        let transaction = Sample.transaction(["offerIdentifier": .string(padding), "storefront": "USA"])
        let renewalInfo = Sample.renewalInfo(["offerIdentifier": .string(padding)])
        let signed = chain.sign(Sample.notification(chain, transaction: transaction, renewalInfo: renewalInfo))
        let body = Array(#"{"signedPayload":"\#(signed)"}"#.utf8)
        let verifier = chain.verifier
        let key = try #require(chain.leaf.certificate.p256PublicKey)
        let parts = try [signed, chain.sign(transaction), chain.sign(renewalInfo)].map { jws in
            let parts = jws.split(separator: ".")
            return (Array((parts[0] + "." + parts[1]).utf8), try #require(Base64URL.decode(Array(parts[2].utf8))))
        }
        var ratios: [Double] = []
        for round in 0..<7 {
            let bare = time { for (message, signature) in parts { #expect(key.isValid(signature: signature, for: message)) } }
            let whole = time { #expect((try? verifier.verifyNotification(body: body, now: now)) != nil) }
            if round > 0 { ratios.append(whole / bare) }
            print("body of \(body.count) bytes: whole \(whole) µs, three bare verifications \(bare) µs")
        }
        print("ratio, median: \(ratios.sorted()[ratios.count / 2])")
    }

    /// Microseconds a call.
    private func time(_ work: () -> Void) -> Double {
        let calls = 2000
        let duration = ContinuousClock().measure { for _ in 0..<calls { work() } }
        return duration / .microseconds(calls)
    }
}
