import Crypto
import Foundation

@testable import AppStore

extension FuzzTarget {
    /// What Apple signs, decoded from any bytes: the desk's own reader never takes what Foundation refuses, nor reads it otherwise.
    static let payload = FuzzTarget(
        name: "payload",
        seeds: {
            vectors("apple/models") + vectors("apple/mock_signed_data").compactMap(decodedPayload) + bytes("{}", #"{"data":{}}"#, "[]")
        }
    ) {
        { input in
            check(ResponseBodyV2DecodedPayload.self, input)
            check(JWSTransactionDecodedPayload.self, input)
            check(JWSRenewalInfoDecodedPayload.self, input)
            check(AppTransactionDecodedPayload.self, input)
            check(StatusResponse.self, input)
            check(NotificationHistoryResponse.self, input)
            check(APIErrorBody.self, input)
        }
    }

    private static func decodedPayload(of jws: [UInt8]) -> [UInt8]? {
        guard let signed = try? SignedPayload(jws) else { return nil }
        return Base64URL.decode(signed.bytes.span.extracting(signed.payload))
    }

    private static func check<Payload: WireObject & Equatable>(_ type: Payload.Type, _ input: [UInt8]) {
        guard let scan = try? JSONScan.ofObject(input.span), let own = try? Payload(from: PayloadDecoder(input, scan)) else { return }
        guard let standard = try? JSONDecoder().decode(type, from: Data(input)) else {
            preconditionFailure("\(type): read, though it is no JSON of this type")
        }
        precondition(own == standard, "\(type): read otherwise than Foundation does")
        // What is kept as JSON of our own reads back the same.
        guard let encoded = try? JSONEncoder().encode(own) else { preconditionFailure("\(type): cannot be written") }
        precondition((try? JSONDecoder().decode(type, from: encoded)) == own, "\(type): does not come back")
    }
}
