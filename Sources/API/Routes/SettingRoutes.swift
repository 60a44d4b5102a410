import Domain
import HTTPServer
import Ingest
import Store

extension DeskAPI {
    static let settingRoutes: [Route] = [
        .put(
            "/v1/apps/{app}/customers/{ref}/preference",
            Operation(
                id: "putPreference", summary: "What to answer for this customer, whatever the rules say; null takes it back.",
                query: [.environment], body: .reference("Preference"), answer: .json(.reference("Preference"))),
            DeskAPI.putPreference),
        .put(
            "/v1/apps/{app}/customers/{ref}/tags",
            Operation(
                id: "putTags", summary: "A customer's tags, for the rules' `tag`; replaces those set before.", query: [.environment],
                body: .reference("Tags"), answer: .json(.reference("Tags"))),
            DeskAPI.putTags),
    ]

    private func putPreference(_ call: Call) async throws(Problem) -> HTTPResponse {
        let preference = try call.body(as: PreferenceBody?.self)?.value
        try await record(call, .preference, preference?.rawValue)
        return HTTPResponse(JSON(preference))
    }

    private func putTags(_ call: Call) async throws(Problem) -> HTTPResponse {
        let tags = try call.body(as: TagsBody.self).checked()
        try await record(call, .tags, tags.isEmpty ? nil : tags.joined(separator: "\n"))
        return HTTPResponse(["tags": JSON(tags)])
    }

    private func record(_ call: Call, _ kind: CustomerSetting.Kind, _ text: String?) async throws(Problem) {
        let app = try call.app()
        let ledger = try call.ledger()
        let setting = CustomerSetting(kind: kind, ref: try call.ref(), json: text, at: call.now)
        try await write(touching: ledger.touching(setting.ref)) { tx throws(StoreError) in
            try OwnerDesk(app: app, ledger: ledger, tx: tx, now: setting.at, actor: call.actor).record(setting)
        }
    }
}

extension JSON {
    /// As it is put: what is to be preferred, or how to answer, or null.
    init(_ preference: CustomerPreference?) {
        self =
            switch preference {
            case .prefer(let word): ["prefer": JSON(word)]
            case .dataOnly, .some(.none): ["answer": JSON(preference?.rawValue)]
            case nil: .null
            }
    }
}

/// `{"prefer": …}` or `{"answer": …}`.
private struct PreferenceBody: Decodable, Sendable {
    private enum Answer: String, CaseIterable {
        case dataOnly = "data-only"
        case none
    }
    private enum CodingKeys: String, CodingKey { case prefer, answer }
    var value: CustomerPreference

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let prefer = try container.decodeIfPresent(WireWord<RefundPreference>.self, forKey: .prefer)?.value
        let answer = try container.decodeIfPresent(WireWord<Answer>.self, forKey: .answer)?.value
        switch (prefer, answer) {
        case (let prefer?, nil): value = .prefer(prefer)
        case (nil, .dataOnly): value = .dataOnly
        case (nil, .some(.none)): value = .none
        default:
            throw InvalidValue.at(
                decoder.codingPath + [CodingKeys.prefer], "or `answer` must be given, one of the two; or null for the whole body.")
        }
    }
}

struct TagsBody: Decodable {
    static let most = 50
    /// In characters.
    static let longest = 100

    private var tags: [String]

    /// - Returns: Each tag once, in order.
    func checked() throws(Problem) -> [String] {
        guard tags.count <= TagsBody.most else { throw .invalid("tags", "must not hold more than \(TagsBody.most) tags.") }
        var seen: Set<String> = []
        for index in tags.indices { seen.insert(try bounded(tags[index], "tags[\(index)]", atMost: TagsBody.longest)) }
        return tags.filter { seen.remove($0) != nil }
    }
}
