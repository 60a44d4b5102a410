import Foundation
import HTTPServer

extension Call {
    /// The body as JSON of the given type.
    ///
    /// Depth and size are bounded: by Foundation's own limit of nesting, and by the server's limit of a body.
    /// - Throws: 400 `malformed` where it is no JSON, 422 `invalid` with the field where it is other JSON than this.
    func body<Body: Decodable>(as type: Body.Type) throws(Problem) -> Body {
        do { return try JSONDecoder().decode(type, from: Data(request.body)) } catch { throw Problem(decoding: error) }
    }
}

extension Problem {
    init(decoding error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            self = .invalid(fieldName(context.codingPath + [key]), "is missing.")
        case DecodingError.valueNotFound(let type, let context):
            self = .at(context.codingPath, "must not be null: it takes \(Problem.words(for: type)).")
        case DecodingError.typeMismatch(let type, let context):
            self = .at(context.codingPath, "must be \(Problem.words(for: type)).")
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            self = Problem(.malformed, "The body is not JSON: send one JSON value in UTF-8, nested at most 512 levels deep.")
        case DecodingError.dataCorrupted(let context):
            self = .at(context.codingPath, context.underlyingError is InvalidValue ? context.debugDescription : "cannot be read.")
        default:
            self = Problem(.malformed, "The body is not JSON: send one JSON value in UTF-8, nested at most 512 levels deep.")
        }
    }

    private static func at(_ path: [any CodingKey], _ detail: String) -> Problem {
        path.isEmpty ? Problem(.invalid, "The body \(detail)") : .invalid(fieldName(path), detail)
    }

    private static func words(for type: Any.Type) -> String {
        switch type {
        case is Bool.Type: "true or false"
        case is String.Type: "a string"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}

/// Marks a decoding error whose text is written for the client.
struct InvalidValue: Error {
    static func at(_ path: [any CodingKey], _ detail: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: detail, underlyingError: InvalidValue()))
    }
}

/// `events[3].quantity`.
private func fieldName(_ path: [any CodingKey]) -> String {
    path.reduce("") { name, key in
        if let index = key.intValue { return name + "[\(index)]" }
        return name.isEmpty ? key.stringValue : name + "." + key.stringValue
    }
}
