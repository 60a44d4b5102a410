import Domain
import HTTPServer
import Ingest
import Store

/// How the policy in force met the requests of late, and what a draft would change.
struct PolicyModel: Sendable {
    /// A page looks at no more decisions than this, so that it comes at once however many there are.
    static let sample = 200
    /// A draft is tried on no more than this; `policy test` tries it on all.
    static let trial = 2_000

    var current: PolicyTrialReport
    var draft: PolicyDraft?
    var draftText: String
    var trial: PolicyTrialReport?
}

extension Dashboard {
    func showPolicy(_ frame: PageFrame, draft text: String?) async throws(Refusal) -> HTTPResponse {
        guard let app = frame.app else { throw .notFound }
        var model = PolicyModel(current: try await trial(app.policy, frame, newest: PolicyModel.sample), draftText: text ?? "")
        if let text, !text.isEmpty {
            let draft = settings.readPolicy(text)
            model.draft = draft
            if let policy = draft.policy { model.trial = try await trial(policy, frame, newest: PolicyModel.trial) }
        }
        return HTTPResponse(frame.policy(app.policy, model))
    }

    private func trial(_ policy: Policy, _ frame: PageFrame, newest count: Int) async throws(Refusal) -> PolicyTrialReport {
        do { return try await PolicyTrial(policy, in: frame.ledger, at: frame.now).run(on: store, newest: count) } catch {
            throw noted(error)
        }
    }
}
