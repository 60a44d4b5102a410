import AppStoreSimulator
import Crypto
import Domain
import Foundation

@testable import AppStore

extension FuzzTarget {
    /// Changes to properly signed messages. Whatever is accepted then has the very bytes that were signed.
    static let message = FuzzTarget(name: "message", seeds: { editSeeds }) {
        let signed = SignedMessages()
        return { input in
            var edits = EditScript(input)
            let index = Int(edits.next() ?? 0)
            let (isBody, message) = (index & 1 == 1, signed.messages[index / 2 % signed.messages.count])
            var text = isBody ? Array(#"{"signedPayload":""#.utf8) + message + Array(#""}"#.utf8) : message
            while let edit = edits.nextEdit() { signed.apply(edit, to: &text) }
            signed.check(text, isBody: isBody)
        }
    }

    /// Any bytes in place of a message.
    static let jws = FuzzTarget(
        name: "jws",
        seeds: {
            vectors("apple/mock_signed_data") + vectors("real") + vectors("apple/xcode")
                + bytes("a.b.c", "..", #"{"signedPayload":"a.b.c"}"#, #"{"a":[],"signedPayload":"\u0061.b.c"}"#)
        }
    ) {
        let signed = SignedMessages()
        return { input in
            signed.check(input, isBody: false)
            signed.check(input, isBody: true)
            let packed = PackedBody.pack(input)
            precondition(packed.unpack() == input, "a packed body comes back byte for byte")
            _ = PackedBody(headers: [Array("e30".utf8)], bytes: input).unpack()
            _ = TrustedPayload.notification(input)
            _ = TrustedPayload.transaction(input)
            _ = TrustedPayload.status(input)
        }
    }

    private static let editSeeds: [[UInt8]] = (0..<24).flatMap { message in
        [[message], [message, 0, 0, 9, 65], [message, 4, 0, 0, 3], [message, 7, 0, 40, 1], [message, 2, 255, 255, 61]]
    }
}

/// Messages with sound signatures, and what was signed.
private struct SignedMessages {
    let messages: [[UInt8]]
    private let parts: [[[UInt8]]]
    private let signed: Set<[UInt8]>
    private let verifier: SignedPayloadVerifier
    private static let now: Int64 = 1_790_000_000_000

    init() {
        let chain = SigningChain.generate(at: Timestamp(milliseconds: SignedMessages.now), isPadded: false)
        let transaction =
            #"{"transactionId":"1","originalTransactionId":"1","bundleId":"com.example","productId":"p","signedDate":1790000000000}"#
        let inner = chain.signer.sign(transaction)
        let outer =
            #"{"notificationType":"TEST","notificationUUID":"u","signedDate":1790000000000,"data":{"bundleId":"com.example","#
            + #""environment":"Sandbox","signedTransactionInfo":"\#(inner)"}}"#
        let apple = (vectors("apple/mock_signed_data") + vectors("real")).map { file in
            (try? SignedPayload(body: file)).map { Array($0.bytes[$0.header.lowerBound..<$0.signature.upperBound]) } ?? file
        }
        let roots = vectors("apple").compactMap { try? Certificate(der: $0) } + [chain.root, .appleRootCAG3]
        let verifier = SignedPayloadVerifier(roots: roots)
        messages = ([Array(inner.utf8), Array(chain.signer.sign(outer).utf8), Array(chain.signer.sign("{}").utf8)] + apple)
            .filter { (try? verifier.verify(jws: $0, now: SignedMessages.now)) != nil }
        precondition(messages.count > 2, "the messages made here verify")
        self.verifier = verifier
        parts = messages.map { $0.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init) }
        signed = Set(parts.map { $0[0] + [UInt8(ascii: ".")] + $0[1] })
    }

    func check(_ text: [UInt8], isBody: Bool) {
        guard let message = try? isBody ? SignedPayload(body: text) : SignedPayload(text) else { return }
        if (try? verifier.verify(message, now: SignedMessages.now)) != nil {
            precondition(signed.contains(Array(message.bytes[message.signedRange])), "accepted, and never signed")
        }
        if let notification = try? verifier.verifyNotification(message, now: SignedMessages.now) {
            precondition(signed.contains(Array(message.bytes[message.signedRange])), "accepted, and never signed")
            _ = notification.fact
        }
    }

    func apply(_ edit: EditScript.Edit, to text: inout [UInt8]) {
        guard edit.operation >= 4 else { return edit.apply(to: &text) }
        var own = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        guard own.count == 3 else { return }
        let part = Int(edit.operation) % 3
        if edit.operation < 7 {
            own[part] = parts[Int(edit.value) % parts.count][part]
        } else if var decoded = Base64URL.decode(own[1]) {
            // A change that leaves the encoding sound.
            EditScript.Edit(operation: edit.value % 4, position: edit.position, value: edit.value / 4).apply(to: &decoded)
            own[1] = Array(Base64URL.encode(decoded).utf8)
        }
        text = Array(own.joined(separator: [UInt8(ascii: ".")]))
    }
}

/// Reads an input as a list of changes, four bytes each, so that what is tried stays close to what is sound.
struct EditScript {
    struct Edit {
        /// 0 replace, 1 flip a bit, 2 insert, 3 delete; others are the target's own.
        var operation: UInt8
        var position: Int
        var value: UInt8

        func apply(to bytes: inout [UInt8]) {
            guard !bytes.isEmpty else { return bytes.append(value) }
            let index = position % bytes.count
            switch operation {
            case 0: bytes[index] = value
            case 1: bytes[index] ^= 1 << (value % 8)
            case 2: bytes.insert(value, at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + 1 + Int(value)))
            }
        }
    }
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    mutating func next() -> UInt8? { rest.popFirst() }

    mutating func nextEdit() -> Edit? {
        guard rest.count >= 4, let operation = next(), let high = next(), let low = next(), let value = next() else { return nil }
        return Edit(operation: operation % 8, position: Int(high) << 8 | Int(low), value: value)
    }
}
