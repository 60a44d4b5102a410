import AppStore
import HTTPServer
import Testing

@testable import API

/// `/openapi.json` as a client reads it, to hold real answers against.
enum Description {
    static let document = JSONValue(bytes: OpenAPIDocument.json.bytes) ?? .null

    /// Checks that the description knows this status on this route, with a body like this, and the problem's code by name.
    static func check(_ reply: Reply, to request: HTTPRequest, _ sourceLocation: SourceLocation) {
        guard let route = DeskAPI.routes.first(where: { matches($0, request) }) else {
            #expect([404, 405].contains(reply.status), "no such route", sourceLocation: sourceLocation)
            return
        }
        let place = "\(route.method.rawValue) \(route.path.text) \(reply.status) \(reply.code ?? "")"
        let response = value(document, "paths", route.path.text, route.method.rawValue.lowercased(), "responses", "\(reply.status)")
        let type = reply.header("Content-Type")?.split(separator: ";").first.map(String.init) ?? "none"
        guard let response, let schema = value(response, "content", type, "schema") else {
            Issue.record("\(place) as \(type) is not described", sourceLocation: sourceLocation)
            return
        }
        if ["text/plain", "text/csv"].contains(type) { return }
        let faults = mismatch(reply.json ?? "no JSON", schema, "")
        #expect(faults.isEmpty, "\(place): \(faults.joined(separator: "; "))", sourceLocation: sourceLocation)
        guard let code = reply.code else { return }
        #expect(response["description"]?.text?.contains("`\(code)`") == true, "\(place) is not described", sourceLocation: sourceLocation)
    }

    /// What the description forbids in a request's body; nil where it knows no such request.
    static func faults(ofBody text: String, to request: HTTPRequest) -> [String]? {
        guard let route = DeskAPI.routes.first(where: { matches($0, request) }), let body = JSONValue(bytes: Array(text.utf8)),
            let operation = value(document, "paths", route.path.text, route.method.rawValue.lowercased()),
            let schema = value(operation, "requestBody", "content", "application/json", "schema")
        else { return nil }
        return mismatch(body, schema, "")
    }

    private static func matches(_ route: Route, _ request: HTTPRequest) -> Bool {
        let method = request.method == "HEAD" ? "GET" : request.method
        return route.method.rawValue == method && route.path.match(request.pathSegments) != nil
    }

    /// A member of a member, by names that may hold dots.
    static func value(_ object: JSONValue, _ keys: String...) -> JSONValue? {
        keys.reduce(object) { value, key in
            if case .object(let members) = value { members[key] } else { nil }
        }
    }

    /// What in a value is not as the schema says: the few words of JSON Schema that the description uses, and no member beyond it.
    static func mismatch(_ value: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        if let reference = schema["$ref"]?.text {
            let name = String(reference.split(separator: "/").last ?? "")
            guard let schema = document["components.schemas.\(name)"] else { return ["\(place): no schema \(name)"] }
            return mismatch(value, schema, place)
        }
        if let choices = schema["anyOf"]?.list {
            let faults = choices.map { mismatch(value, $0, place) }
            return faults.contains { $0.isEmpty } ? [] : faults.flatMap { $0 }
        }
        if let choices = schema["oneOf"]?.list {
            let fitting = choices.count { mismatch(value, $0, place).isEmpty }
            return fitting == 1 ? [] : ["\(place) fits \(fitting) of the choices"]
        }
        if let words = schema["enum"]?.list, !words.contains(value) { return ["\(place) is none of the words"] }
        switch (schema["type"]?.text, value) {
        case ("null", .null), ("string", .string), ("boolean", .bool), ("integer", .integer), ("number", .integer), ("number", .decimal),
            ("integer", .decimal):
            return []
        case ("array", .array(let elements)):
            return elements.enumerated().flatMap { mismatch($0.element, schema["items"] ?? .null, "\(place)[\($0.offset)]") }
        case ("object", .object(let members)): return mismatch(members, schema, place)
        default: return ["\(place) is not of type \(schema["type"]?.text ?? "missing")"]
        }
    }

    private static func mismatch(_ members: [String: JSONValue], _ schema: JSONValue, _ place: String) -> [String] {
        guard case .object(let properties)? = schema["properties"] else { return [] }
        let missing = (schema["required"]?.list ?? []).compactMap(\.text).filter { members[$0] == nil }
        return missing.map { "\(place).\($0) is missing" }
            + members.flatMap { name, value in
                properties[name].map { mismatch(value, $0, "\(place).\(name)") } ?? ["\(place).\(name) is not described"]
            }
    }
}
