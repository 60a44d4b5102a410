package struct PolicyTraceStep: Hashable, Sendable, Codable {
    package var rule: String
    package var matched: Bool
    package var failedOn: String?
}
