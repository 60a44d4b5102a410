// A sample, not compiled on Linux: it needs SwiftUI. Add it to the app's target. iOS 16, macOS 13 or later.
import SwiftUI

/// Asks whether data about purchases may go to Apple when Apple reviews a refund request; the same screen takes the consent back.
///
/// What Apple asks of such a consent shows here: it is specific, it says what is sent, to whom and why, and how to take it back; both answers
/// are buttons of the same weight, nothing is chosen beforehand, and the app works the same with either. This is not App Tracking
/// Transparency, whose prompt must not be used for it.
struct ConsentSheet: View {
    /// Of the words below: raise it whenever they change, and what `consent.minimumTextVersion` says where an old consent no longer counts.
    static let textVersion = "2026-10"

    /// What the customer said last; nil where never asked.
    let current: Bool?
    /// Tells the app's backend, which tells the desk. It throws where that failed: an answer that was not recorded does not count.
    let record: (_ agreed: Bool, _ textVersion: String) async throws -> Void

    @Environment(\.dismiss) private var dismiss
    @State private var isSending = false
    @State private var failed = false

    var body: some View {
        VStack(alignment: .leading, spacing: 16) {
            Text("If you ask Apple for a refund").font(.title2.bold())
            Text(
                """
                Apple may ask us how a purchase was used: whether it was delivered, whether there was a free sample, and how much of it was used. \
                May we send this to Apple, so that Apple can review your request?
                """)
            Text(
                "It is used for nothing else. You can change your mind at any time in Settings, Privacy. The app works the same either way."
            )
            .foregroundStyle(.secondary)
            if let current { Text(current ? "You agreed to this." : "You did not agree to this.").bold() }
            if failed { Text("That was not saved. Please try again.").foregroundStyle(.red) }
            HStack {
                choice("Don’t send", agreed: false)
                choice("Send to Apple", agreed: true)
            }
            .disabled(isSending)
        }
        .padding()
    }

    private func choice(_ title: LocalizedStringKey, agreed: Bool) -> some View {
        Button(title) { Task { await send(agreed) } }
            .buttonStyle(.bordered)
            .frame(maxWidth: .infinity)
    }

    private func send(_ agreed: Bool) async {
        isSending = true
        defer { isSending = false }
        do {
            try await record(agreed, Self.textVersion)
            dismiss()
        } catch { failed = true }
    }
}
