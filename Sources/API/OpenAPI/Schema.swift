import Domain

/// A JSON schema as OpenAPI 3.1 writes it.
struct Schema: Sendable, Hashable {
    var json: JSON

    static let string = Schema(json: ["type": "string"])
    static let boolean = Schema(json: ["type": "boolean"])
    static let integer = Schema(json: ["type": "integer", "format": "int64"])
    static let number = Schema(json: ["type": "number"])
    static let null = Schema(json: ["type": "null"])
    static let instant = integer.described("Milliseconds since the epoch, UTC.")
    /// An instant as requests may say it: ``WireInstant``.
    static let plausibleInstant = integer(in: Timestamp.plausible).described("Milliseconds since the epoch, UTC.")
    /// A day, or an instant in it.
    static let day = Schema(json: ["type": "string", "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,15})$"])
        .described("Such as 2026-11-01, or milliseconds since the epoch.")
    static let money = reference("Money")

    /// One of these words, or, of an open set, some other that Apple may add.
    static func word(_ words: some Sequence<String>) -> Schema { Schema(json: ["type": "string", "enum": JSON(words)]) }
    static func word<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> Schema where Word.RawValue == String {
        word(Word.allCases.map(\.rawValue))
    }

    /// Text as ``bounded(_:_:atMost:)`` takes it.
    static func text(atMost limit: Int) -> Schema {
        Schema(json: [
            "type": "string", "minLength": 1, "maxLength": JSON(limit), "pattern": #"^[^\u0000-\u001F\u007F]*$"#,
        ])
    }

    static func integer(in range: ClosedRange<Int64>) -> Schema {
        Schema(json: integer.json.adding("minimum", JSON(range.lowerBound)).adding("maximum", JSON(range.upperBound)))
    }

    /// An id as ``WireID`` takes it.
    static func id(atMost limit: Int) -> Schema {
        .any(
            of: .text(atMost: limit),
            Schema(json: ["type": "integer", "minimum": JSON(Int64.min), "maximum": .verbatim(Array("\(UInt64.max)".utf8))]))
    }

    static func array(of element: Schema) -> Schema { Schema(json: ["type": "array", "items": element.json]) }

    static func array(of element: Schema, atMost limit: Int) -> Schema {
        Schema(json: array(of: element).json.adding("maxItems", JSON(limit)))
    }

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

    static func one(of schemas: Schema...) -> Schema { Schema(json: ["oneOf": .array(schemas.map(\.json))]) }

    var orNull: Schema { .any(of: self, .null) }

    /// A list's page of these.
    var page: Schema {
        .object(["items": .array(of: self), "nextCursor": Schema.string.orNull.described("Where the next page begins; null at the end.")])
    }

    func described(_ text: String) -> Schema { Schema(json: json.adding("description", .string(text))) }
}
