// A sample, not compiled on Linux: it needs StoreKit and SwiftUI. Add it to the app's target. iOS 15, macOS 14 or later.
import StoreKit
import SwiftUI

/// Opens Apple's own refund sheet for a purchase. Apple decides; the app can neither grant nor refuse.
///
/// `success` means that Apple has the request, not that it was granted. What becomes of it reaches the backend as the desk's webhooks, and access
/// changes with those, not with this result.
struct RefundButton: View {
    /// `Transaction.id` of the purchase, as a number.
    let transactionID: UInt64
    /// Shown to the customer in the app's own words.
    let onResult: (LocalizedStringKey) -> Void

    @State private var isShown = false

    var body: some View {
        Button("Request a refund") { isShown = true }
            .refundRequestSheet(for: transactionID, isPresented: $isShown) { result in onResult(text(for: result)) }
    }

    private func text(for result: Result<StoreKit.Transaction.RefundRequestStatus, StoreKit.Transaction.RefundRequestError>)
        -> LocalizedStringKey
    {
        switch result {
        case .success(.success): "Apple has your request and will tell you what it decides."
        case .success(.userCancelled): "Nothing was sent."
        case .failure(.duplicateRequest): "You have asked about this purchase already."
        case .success, .failure: "Apple could not take the request. reportaproblem.apple.com takes it too."
        }
    }
}
