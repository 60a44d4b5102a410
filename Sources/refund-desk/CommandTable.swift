import Server

extension Command {
    static let all: [Command] =
        [
            demo, serve, checkConfig, doctor, verify, backfill, reconcile, replay, migrate, tokenCreate, tokenList, tokenRevoke,
            policyCheck, policyTest, auditVerify, forget, export, simulator, simulate,
        ] + reports + [completion, manual]

    static let demo = Command(
        name: "demo", summary: "desk and App Store simulator on a temporary database, with sample apps and live traffic",
        options: [.listen, Option(name: "fast", value: "N", help: "live traffic N times as fast"), .json],
        discussion: "Prints the desk's URL and a token. Nothing is kept once it ends."
    ) { arguments, console in
        try await DemoTask(
            listen: arguments["listen"], speed: try arguments.number("fast") ?? 1, json: arguments.has("json")
        ).run(console)
    }

    static let serve = Command(
        name: "serve", summary: "the server",
        options: [
            .config, .listen, Option(name: "no-answers", help: "all but answers to Apple: until consents are whole again after a restore"),
        ],
        discussion: """
            Prints `refund-desk listening on http://HOST:PORT` when ready. Ends on SIGTERM after finishing what is in flight. Exits 2 where the
            configuration cannot be used, and 1 where it is sound and a start may succeed later: a database that is away, a port that is taken.
            """
    ) { arguments, console in
        try await ServeTask(
            configFile: arguments["config"] ?? "", listen: arguments["listen"], sendsAnswers: !arguments.has("no-answers")
        ).run(console)
    }

    static let checkConfig = Command(
        name: "check-config", summary: "names every mistake in a configuration, its line and its remedy", options: [.config, .json]
    ) { arguments, console in
        try CheckConfigTask(configFile: arguments["config"] ?? "", json: arguments.has("json")).run(console)
    }

    static let doctor = Command(
        name: "doctor", summary: "looks at key, clock, notifications, database, certificate and receivers, and says what to do",
        options: [.config, Option(name: "app", value: "ID", help: "only this app"), .json],
        discussion: "Has Apple send a test notification to each environment. Works beside a running server. Exits 1 where something failed."
    ) { arguments, console in
        try await DoctorTask(configFile: arguments["config"] ?? "", app: arguments["app"], json: arguments.has("json")).run(console)
    }

    static let verify = Command(
        name: "verify", summary: "verifies a JWS or a {\"signedPayload\"} body and prints what is inside", operands: "[FILE|-]",
        maximumOperands: 1,
        options: [
            Option(name: "root", value: "PEM", help: "trust this root (PEM or DER) instead of Apple Root CA - G3", mayRepeat: true),
            Option(name: "bundle-id", value: "ID", help: "demand this bundle id"),
            Option(name: "app-apple-id", value: "N", help: "demand this app id in Production"),
            Option(name: "environment", value: "NAME", help: "demand Production or Sandbox"),
            Option(name: "at", value: "MS", help: "judge the certificates' dates at this instant instead of the payload's signedDate"),
            .json,
        ]
    ) { arguments, console in
        try VerifyTask(
            file: arguments.operands.first ?? "-", roots: arguments.all("root"), bundleID: arguments["bundle-id"],
            appAppleID: try arguments.number("app-apple-id"), environment: arguments["environment"], at: try arguments.number("at"),
            json: arguments.has("json")
        ).run(console)
    }

    static let replay = Command(
        name: "replay", summary: "rebuilds all folded state from the log",
        options: [.config, Option(name: "check", help: "only compare; exits 1 on any difference"), .json]
    ) { arguments, console in
        try await ReplayTask(
            configFile: arguments["config"] ?? "", checkOnly: arguments.has("check"), json: arguments.has("json")
        ).run(console)
    }

    static let migrate = Command(
        name: "migrate", summary: "brings the database's schema up to date; with --from and --to copies a desk to PostgreSQL",
        options: [
            .config, Option(name: "from", value: "URL", help: "sqlite:FILE of a desk that is stopped"),
            Option(name: "to", value: "URL", help: "postgres://user:password@host/db, empty"), .json,
        ],
        discussion: "After copying, both are compared and the copied log is folded anew. Exits 1 where anything differs."
    ) { arguments, console in
        try await MigrateTask(
            configFile: arguments["config"] ?? "", from: arguments["from"], to: arguments["to"], json: arguments.has("json")
        ).run(console)
    }

    static let backfill = Command(
        name: "backfill", summary: "reads Apple's notification history through the ordinary intake",
        options: [
            .config, .app,
            Option(name: "since", value: "DATE", help: "a day in UTC, 2026-11-01, or milliseconds; else since the last good contact"),
            Option(name: "only-failures", help: "only what Apple never delivered with success"),
            Option(name: "environment", value: "NAME", help: "Production or Sandbox; else both"), .json,
        ],
        discussion: """
            Works beside a running server, which sends what follows from it: answers that are still in time, webhooks, alerts. A broken-off
            reading is gone on with. Without a last good contact it reads 30 days. Apple keeps 180 days, 30 in the sandbox. Exits 1 where
            Apple could not be read to the end.
            """
    ) { arguments, console in
        try await BackfillTask(
            configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", since: arguments["since"],
            onlyFailures: arguments.has("only-failures"), environment: arguments["environment"], json: arguments.has("json")
        ).run(console)
    }

    static let reconcile = Command(
        name: "reconcile", summary: "asks Apple for the status of subscriptions whose truth may be stale",
        options: [.config, .app, .json],
        discussion: "Works beside a running server. Exits 1 where Apple gave no answer for some."
    ) { arguments, console in
        try await ReconcileTask(
            configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", json: arguments.has("json")
        ).run(console)
    }

    static let tokenCreate = Command(
        name: "token create", summary: "makes an API token and prints it, this once",
        options: [
            .config, Option(name: "name", value: "NAME", help: "what the token is for", isRequired: true),
            Option(name: "scope", value: "SCOPE", help: "read (default), write or admin"), .json,
        ]
    ) { arguments, console in
        try await TokenTask(configFile: arguments["config"] ?? "")
            .create(name: arguments["name"] ?? "", scope: arguments["scope"] ?? "read", json: arguments.has("json"), console)
    }

    static let tokenList = Command(name: "token list", summary: "lists the API tokens, without the tokens", options: [.config, .json]) {
        arguments, console in
        try await TokenTask(configFile: arguments["config"] ?? "").list(json: arguments.has("json"), console)
    }

    static let tokenRevoke = Command(
        name: "token revoke", summary: "makes an API token invalid",
        options: [.config, Option(name: "name", value: "NAME", help: "the token's name", isRequired: true)]
    ) { arguments, console in
        try await TokenTask(configFile: arguments["config"] ?? "").revoke(name: arguments["name"] ?? "", console)
    }

    static let policyCheck = Command(
        name: "policy check", summary: "names every mistake in a policy file", operands: "FILE", maximumOperands: 1, options: [.json]
    ) { arguments, console in
        guard let file = arguments.operands.first else { throw UsageError(message: "name the policy file") }
        return try PolicyCheckTask(file: file, json: arguments.has("json")).run(console)
    }

    static let policyTest = Command(
        name: "policy test",
        summary: "runs a policy over the requests of the past: whom it would change, and how many customers each rule meets",
        options: [
            .config, .app, Option(name: "draft", value: "FILE", help: "the policy to try, instead of the configured one"),
            Option(name: "since", value: "DATE", help: "only decisions since that day (UTC) or instant in milliseconds"), .environment,
            .json,
        ],
        discussion: "Each request is judged by the facts as they were when it was decided. Nothing is changed and nothing is sent."
    ) { arguments, console in
        try await PolicyTestTask(
            configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", draft: arguments["draft"], since: arguments["since"],
            environment: arguments["environment"], json: arguments.has("json")
        ).run(console)
    }

    static let forget = Command(
        name: "forget", summary: "removes a person's identifiers and usage from every table and the raw log; totals stay",
        options: [
            .config, .app, Option(name: "customer", value: "REF", help: "any of the person's names", isRequired: true),
            Option(name: "environment", value: "NAME", help: "only Production or only Sandbox"), .json,
        ],
        discussion: "Cannot be undone. Purchases stay under pseudonyms, for counts and amounts. Works beside a running server."
    ) { arguments, console in
        try await ForgetTask(
            configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", customer: arguments["customer"] ?? "",
            environment: arguments["environment"], json: arguments.has("json")
        ).run(console)
    }

    static let export = Command(
        name: "export", summary: "everything in the log as JSON lines, oldest first",
        options: [.config, Option(name: "app", value: "ID", help: "only this app")]
    ) { arguments, console in
        try await ExportTask(configFile: arguments["config"] ?? "", app: arguments["app"]).run(console)
    }

    static let auditVerify = Command(
        name: "audit verify", summary: "checks the chain of hashes that seals consents, decisions, answers and administrators' acts",
        options: [
            .config,
            Option(name: "hash", value: "HEX", help: "a hash noted earlier that the chain must still hold", mayRepeat: true), .json,
        ],
        discussion:
            "Exits 1 where the chain is broken or a hash is missing. Note the newest link elsewhere: it proves later that nothing is gone."
    ) { arguments, console in
        try await AuditTask(configFile: arguments["config"] ?? "", hashes: arguments.all("hash"), json: arguments.has("json"))
            .verify(console)
    }

    static let simulator = Command(
        name: "simulator", summary: "the App Store simulator alone",
        options: [.listen, Option(name: "data", value: "DIR", help: "where its root, keys and ids are kept", isRequired: true)],
        discussion: "Writes root.pem, AuthKey_SIM.p8 and simulator.json into DIR: a desk with `simulated: true` can use them."
    ) { arguments, console in
        try await SimulatorTask(listen: arguments["listen"], folder: arguments["data"] ?? "").run(console)
    }

    static let simulate = Command(
        name: "simulate", summary: "signs and posts a named scenario; `list` shows them", operands: "SCENARIO|list", maximumOperands: 1,
        options: [
            Option(name: "to", value: "URL", help: "the desk's notification URL"),
            Option(name: "data", value: "DIR", help: "the simulator's folder"), .json,
        ]
    ) { arguments, console in
        guard let scenario = arguments.operands.first else { throw UsageError(message: "name a scenario, or `list`") }
        return try await SimulateTask(
            scenario: scenario, to: arguments["to"], folder: arguments["data"], json: arguments.has("json")
        ).run(console)
    }
}
