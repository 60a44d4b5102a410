import AppStore
import Crypto
import Foundation

/// One notification verified and decoded, beside the three bare signature checks it cannot do without.
struct VerificationBench {
    let sample: Sample
    let rounds: Int

    /// - Parameter isFloorOnly: Whether only the bare checks are measured, for others to be compared with.
    func run(_ report: Report, isFloorOnly: Bool) throws {
        let root = try Certificate.fromPEMorDER(Array(Data(contentsOf: URL(filePath: sample.identity.path + "/root.pem"))))
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let bare = try bareSeconds()
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        report.add("three bare ECDSA verifications over the same bytes", bare * 1e6, "us of processor time", as: "three bare verifications")
        report.add("the same by all cores", cores / bare, "a second", as: "bare verifications, all cores")
        guard !isFloorOnly else { return }
        let verifier = SignedPayloadVerifier(roots: root)
        let bodies = (0..<rounds).map { sample.bodies[$0 % sample.bodies.count] }
        for body in bodies.prefix(50) { _ = try verifier.verifyNotification(body: body, now: now) }
        let warm = try processorSeconds { for body in bodies { _ = try verifier.verifyNotification(body: body, now: now).fact } }
        report.add(
            "verify and decode one notification, warm chain", warm / Double(rounds) * 1e6, "us of processor time",
            comparedWith: ["three bare verifications"])
        let coldRounds = max(rounds / 20, 20)
        let cold = try processorSeconds {
            for body in bodies.prefix(coldRounds) { _ = try SignedPayloadVerifier(roots: root).verifyNotification(body: body, now: now) }
        }
        report.add(
            "the same with the chain checked anew", cold / Double(coldRounds) * 1e6, "us of processor time",
            comparedWith: ["three bare verifications"])
    }

    /// Three signatures over as many bytes as a notification signs, verified with nothing around them.
    private func bareSeconds() throws -> Double {
        let key = P256PrivateKey.generate()
        let lengths = signedLengths(sample.bodies[0])
        let messages = lengths.map { randomBytes($0) }
        let signatures = messages.map(key.sign)
        let publicKey = key.publicKey
        var isSound = true
        let elapsed = processorSeconds {
            for _ in 0..<rounds {
                for (message, signature) in zip(messages, signatures) {
                    isSound = publicKey.isValid(signature: signature, for: message) && isSound
                }
            }
        }
        precondition(isSound, "signatures just made must hold")
        return elapsed / Double(rounds)
    }

    /// How many bytes each of the three signatures of a message covers.
    private func signedLengths(_ body: [UInt8]) -> [Int] {
        let outer = body.count - 90
        let inner = outer * 3 / 4 / 2
        return [outer, inner, inner]
    }
}
