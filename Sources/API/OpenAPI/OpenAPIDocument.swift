/// The description of the API, made from the very routes that answer.
///
/// - Source: OpenAPI 3.1.0.
enum OpenAPIDocument {
    static let json: JSON = [
        "openapi": "3.1.0",
        "info": [
            "title": "Refund Desk", "version": "1",
            "description": .string(
                "Answers App Store refund requests and keeps what customers may use. "
                    + "Times are milliseconds since the epoch, UTC; all ids are strings."),
        ],
        "paths": .object(paths.map { path in JSON.Member(name: path, value: pathItem(path)) }),
        "components": [
            "schemas": .object(Schema.components.map { JSON.Member(name: $0.key, value: $0.value.json) }),
            "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
        ],
    ]

    private static var paths: [String] {
        var seen: Set<String> = []
        return DeskAPI.routes.map(\.path.text).filter { seen.insert($0).inserted }
    }

    private static func pathItem(_ path: String) -> JSON {
        .object(
            DeskAPI.routes.filter { $0.path.text == path }.map { route in
                JSON.Member(name: route.method.rawValue.lowercased(), value: operation(of: route))
            })
    }

    private static func operation(of route: Route) -> JSON {
        var json: JSON = [
            "operationId": .string(route.operation.id),
            "summary": .string(route.operation.summary),
            "security": security(of: route),
            "parameters": .array(route.path.parameters.map(pathParameter) + route.operation.query.map(queryParameter)),
        ]
        if let body = route.operation.body {
            json = json.adding("requestBody", ["required": true, "content": ["application/json": ["schema": body.json]]])
        }
        return json.adding("responses", .object([success(of: route)] + problems(of: route)))
    }

    private static func security(of route: Route) -> JSON {
        switch route.access {
        case .open: []
        case .token(let scope): [["token": [.string(scope.rawValue)]]]
        }
    }

    private static func pathParameter(_ name: String) -> JSON {
        [
            "name": .string(name), "in": "path", "required": true, "schema": pathParameterSchema(name).json,
            "description": .string(pathParameterTexts[name] ?? ""),
        ]
    }

    private static func pathParameterSchema(_ name: String) -> Schema {
        switch name {
        case "app": .string
        case "transactionId", "originalTransactionId": .text(atMost: Call.longestTransactionID)
        default: .text(atMost: Call.longestName)
        }
    }

    private static func queryParameter(_ parameter: Operation.QueryParameter) -> JSON {
        [
            "name": .string(parameter.name), "in": "query", "required": false, "schema": parameter.schema.json,
            "description": .string(parameter.text),
        ]
    }

    private static func success(of route: Route) -> JSON.Member {
        let status = route.operation.status
        let content: JSON =
            switch route.operation.answer {
            case .json(let schema): ["application/json": ["schema": schema.json]]
            case .plainText: ["text/plain": ["schema": Schema.string.json]]
            case .table(let schema): ["application/json": ["schema": schema.json], "text/csv": ["schema": Schema.string.json]]
            }
        return JSON.Member(name: String(status), value: ["description": .string(title(ofStatus: status)), "content": content])
    }

    private static func problems(of route: Route) -> [JSON.Member] {
        Dictionary(grouping: route.problems, by: \.status).sorted { $0.key < $1.key }.map { status, kinds in
            let codes = kinds.map { "`\($0.code)`" }.joined(separator: ", ")
            return JSON.Member(
                name: String(status),
                value: [
                    "description": .string("\(title(ofStatus: status)): \(codes)"),
                    "content": ["application/problem+json": ["schema": Schema.reference("Problem").json]],
                ])
        }
    }

    private static let pathParameterTexts = [
        "app": "The app's `id` in the configuration.",
        "notificationUUID": "Apple's `notificationUUID`.",
        "transactionId": "Apple's `transactionId`.",
        "originalTransactionId": "Apple's `originalTransactionId`.",
        "id": "The delivery's `id`.",
        "productId": "Apple's `productId`, or `*` for every product that the configuration does not name.",
        "ref": "A customer by any name: `appTransactionId`, `appAccountToken`, `originalTransactionId`, or the linked user id.",
    ]
}
