/// A JSON schema as OpenAPI 3.1 writes it.
struct Schema: Sendable, Hashable {
    var json: JSON

    static let string = Schema(json: ["type": "string"])
    static let boolean = Schema(json: ["type": "boolean"])
    static let integer = Schema(json: ["type": "integer", "format": "int64"])
    static let number = Schema(json: ["type": "number"])
    static let null = Schema(json: ["type": "null"])
    static let instant = integer.described("Milliseconds since the epoch, UTC.")
    static let money = reference("Money")

    /// One of these words, or, of an open set, some other that Apple may add.
    static func word(_ words: some Sequence<String>) -> Schema { Schema(json: ["type": "string", "enum": JSON(words)]) }
    static func word<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> Schema where Word.RawValue == String {
        word(Word.allCases.map(\.rawValue))
    }

    static func array(of element: Schema) -> Schema { Schema(json: ["type": "array", "items": element.json]) }

    /// - Parameter optional: Members that may be left out; all others are always there.
    static func object(_ members: KeyValuePairs<String, Schema>, optional: Set<String> = []) -> Schema {
        object(members: members.map { ($0.key, $0.value) }, optional: optional)
    }
    static func object(members: [(name: String, schema: Schema)], optional: Set<String> = []) -> Schema {
        let properties = JSON.object(members.map { JSON.Member(name: $0.name, value: $0.schema.json) })
        let required = members.map(\.name).filter { !optional.contains($0) }
        return Schema(json: ["type": "object", "properties": properties, "required": JSON(required)])
    }

    /// One of the schemas in ``components``.
    static func reference(_ name: String) -> Schema { Schema(json: ["$ref": .string("#/components/schemas/\(name)")]) }

    static func any(of schemas: Schema...) -> Schema { Schema(json: ["anyOf": .array(schemas.map(\.json))]) }

    var orNull: Schema { .any(of: self, .null) }

    /// A list's page of these.
    var page: Schema {
        .object(["items": .array(of: self), "nextCursor": Schema.string.orNull.described("Where the next page begins; null at the end.")])
    }

    func described(_ text: String) -> Schema { Schema(json: json.adding("description", .string(text))) }
}
