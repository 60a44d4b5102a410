/// A command line to start from.
struct Example: Sendable {
    var line: String
    var meaning: String

    init(_ meaning: String, _ line: String) {
        self.meaning = meaning
        self.line = line
    }
}

extension Command {
    var examples: [Example] { Command.allExamples[name] ?? [] }

    private static let allExamples: [String: [Example]] = [
        "demo": [
            Example("look around; nothing is kept", "refund-desk demo --listen 127.0.0.1:8080"),
            Example("requests come in ten times as fast", "refund-desk demo --fast 10"),
        ],
        "serve": [Example("the server; end it with Ctrl-C or SIGTERM", "refund-desk serve --config desk.json5")],
        "check-config": [
            Example("every mistake, with its line and its remedy", "refund-desk check-config --config desk.json5"),
            Example("the same in a script", "refund-desk check-config --config desk.json5 --json | jq .mistakes"),
        ],
        "doctor": [
            Example("is everything as it must be?", "refund-desk doctor --config desk.json5"),
            Example(
                "one app's, for a monitor: exit code 1 where something failed", "refund-desk doctor --config desk.json5 --app acme --json"),
        ],
        "verify": [
            Example("what is inside a notification, and whether Apple signed it", "refund-desk verify notification.json"),
            Example("a JWS from the clipboard, for one app", "pbpaste | refund-desk verify - --bundle-id com.example.acme"),
            Example("one that a simulator signed", "refund-desk verify notification.json --root store/root.pem"),
        ],
        "backfill": [
            Example("what was missed since the last good contact", "refund-desk backfill --config desk.json5 --app acme"),
            Example("from a day on", "refund-desk backfill --config desk.json5 --app acme --since 2026-11-01"),
            Example("what Apple could not deliver", "refund-desk backfill --config desk.json5 --app acme --only-failures"),
        ],
        "reconcile": [Example("after an outage", "refund-desk reconcile --config desk.json5 --app acme")],
        "replay": [
            Example("is all state what the log says?", "refund-desk replay --config desk.json5 --check"),
            Example("rebuild it; stop the server first", "refund-desk replay --config desk.json5"),
        ],
        "migrate": [
            Example("the schema", "refund-desk migrate --config desk.json5"),
            Example(
                "from SQLite to PostgreSQL; the password comes from the environment",
                "refund-desk migrate --config desk.json5 --from sqlite:desk.db --to 'postgres://desk:${PASSWORD}@db.example.com/desk'"),
        ],
        "token create": [
            Example("for the backend's calls", "refund-desk token create --config desk.json5 --name backend --scope write"),
            Example("to log in to the dashboard and act there", "refund-desk token create --config desk.json5 --name anna --scope admin"),
        ],
        "token list": [Example("who may call", "refund-desk token list --config desk.json5")],
        "token revoke": [Example("holds at once, without a restart", "refund-desk token revoke --config desk.json5 --name backend")],
        "policy check": [Example("before it goes into the configuration", "refund-desk policy check draft.json5")],
        "policy test": [
            Example("the configured policy over all past requests", "refund-desk policy test --config desk.json5 --app acme"),
            Example(
                "whom a draft would change, since a day",
                "refund-desk policy test --config desk.json5 --app acme --draft draft.json5 --since 2026-11-01"),
        ],
        "forget": [Example("a person who asked for it", "refund-desk forget --config desk.json5 --app acme --customer u-42")],
        "export": [
            Example("everything, for keeps", "refund-desk export --config desk.json5 | gzip > desk.jsonl.gz"),
            Example("one app's", "refund-desk export --config desk.json5 --app acme"),
        ],
        "audit verify": [
            Example("the chain alone", "refund-desk audit verify --config desk.json5"),
            Example(
                "does it still hold what was noted last month?",
                "refund-desk audit verify --config desk.json5 --hash 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"),
        ],
        "report refunds": [
            Example("the last 30 days", "refund-desk report refunds --config desk.json5 --app acme"),
            Example("a spreadsheet by product", "refund-desk report refunds --config desk.json5 --app acme --by product --format csv"),
        ],
        "report outcomes": [
            Example("what Apple decided, by rule", "refund-desk report outcomes --config desk.json5 --app acme --from 2026-01-01")
        ],
        "report costs": [Example("by month", "refund-desk report costs --config desk.json5 --app acme --by month")],
        "report customers": [
            Example("who asks again and again", "refund-desk report customers --config desk.json5 --app acme --format json")
        ],
        "report prevention": [
            Example("what was bought by mistake", "refund-desk report prevention --config desk.json5 --app acme --from 2026-01-01")
        ],
        "report commitment": [
            Example("a year at once, or twelve months?", "refund-desk report commitment --upfront 59.99 --monthly 6.99")
        ],
        "sales import": [Example("Apple's sales files", "refund-desk sales import --config desk.json5 --app acme S_D_*.txt.gz")],
        "sales fetch": [Example("yesterday's file, once a day", "refund-desk sales fetch --config desk.json5 --app acme")],
        "sales check": [
            Example("refunds that Apple counts and the desk never saw", "refund-desk sales check --config desk.json5 --app acme")
        ],
        "simulator": [Example("an App Store for a test desk", "refund-desk simulator --listen 127.0.0.1:9090 --data store")],
        "simulate": [
            Example("what there is", "refund-desk simulate list"),
            Example(
                "a request that is granted",
                "refund-desk simulate request-granted --data store --to http://127.0.0.1:8080/v1/apps/acme/notifications"),
        ],
        "completion": [
            Example("for this shell", "source <(refund-desk completion bash)"),
            Example("for all of your shells to come", "refund-desk completion fish > ~/.config/fish/completions/refund-desk.fish"),
        ],
        "manual": [Example("read it", "refund-desk manual | man -l -")],
    ]
}
