/// What a route does, for those who read `/openapi.json`.
struct Operation: Sendable {
    struct QueryParameter: Sendable {
        var name: String
        var schema: Schema
        var text: String
    }
    enum Answer: Sendable {
        case json(Schema)
        case plainText
        /// JSON, or CSV where it is asked for.
        case table(Schema)
    }
    /// In camelCase, unique.
    var id: String
    var summary: String
    var query: [QueryParameter] = []
    /// What the body must be; nil where none is read.
    var body: Schema?
    var status = 200
    var answer: Answer
    /// The route's own; those of tokens, paths, bodies and the store are added by ``Route/problems``.
    var problems: [ProblemKind] = []
}

extension Operation.QueryParameter {
    static let environment = Self(
        name: "environment", schema: .word(["Production", "Sandbox"]), text: "Which ledger; Production without it.")
    static let anyEnvironment = Self(
        name: "environment", schema: .word(["Production", "Sandbox", "all"]), text: "Which ledger; Production without it.")
    static let limit = Self(
        name: "limit", schema: Schema(json: ["type": "integer", "minimum": 1, "maximum": 200, "default": 50]), text: "Most items on a page."
    )
    static let cursor = Self(name: "cursor", schema: .text(atMost: Call.longestName), text: "`nextCursor` of the page before.")
}

extension Route {
    /// Every problem this route may answer with.
    var problems: [ProblemKind] {
        var kinds = operation.problems + ProblemKind.ofServer
        if case .token = access { kinds += [.unauthorized, .forbidden] }
        if path.parameters.contains("app") { kinds.append(.notFound) }
        if operation.body != nil || !operation.query.isEmpty || path.parameters.count > 1 { kinds.append(.invalid) }
        var seen: Set<ProblemKind> = []
        return kinds.filter { seen.insert($0).inserted }.sorted { ($0.status, $0.code) < ($1.status, $1.code) }
    }
}
