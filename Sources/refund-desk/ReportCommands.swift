import Server

extension Command {
    static let reports: [Command] =
        ReportTask.names.map(report) + [reportCommitment, salesImport, salesFetch, salesCheck]

    private static let summaries = [
        "refunds": "how often refunds were asked for, what came of it, and the sales beside it",
        "outcomes": "what Apple decided by what was sent, by rule and by holdout, and how fast",
        "costs": "what refunds cost: proceeds (an estimate), recorded unit costs, payments of commitments lost",
        "customers": "who came back for refunds, and for how much",
        "prevention": "unintended purchases soon after trials and renewals, and the rate of requests against your own baseline",
    ]

    private static func report(_ kind: String) -> Command {
        let groupings = ReportTask.groupings(of: kind)
        let by = Option(name: "by", value: "WHAT", help: "one of \(groupings.joined(separator: ", "))", words: groupings)
        return Command(
            name: "report \(kind)", summary: summaries[kind] ?? "",
            options: [
                .config, .app, .environment,
                Option(name: "from", value: "DAY", help: "first day, such as 2026-11-01; else 30 days before --to"),
                Option(name: "to", value: "DAY", help: "the day after the last; else tomorrow"),
                Option(name: "zone", value: "ZONE", help: "in which days are counted: UTC (default) or Pacific, as in Apple's reports"),
            ] + (groupings.isEmpty ? [] : [by]) + [.format, .table],
            discussion: "docs/reports.md defines each figure. Works beside a running server."
        ) { arguments, console in
            try await ReportTask(
                kind,
                ReportTask.Options(
                    configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", environment: arguments["environment"],
                    from: arguments["from"], to: arguments["to"], by: arguments["by"], zone: arguments["zone"],
                    format: arguments["format"], table: arguments["table"])
            ).run(console)
        }
    }

    private static let reportCommitment = Command(
        name: "report commitment",
        summary: "calculates what a year paid by the month is worth beside one paid at once, and what refunds of it cost",
        options: [
            Option(name: "upfront", value: "PRICE", help: "of the year paid at once, such as 59.99", isRequired: true),
            Option(name: "monthly", value: "PRICE", help: "of one month of twelve, such as 6.99", isRequired: true), .format, .table,
        ], discussion: "Needs no configuration."
    ) { arguments, console in
        try CommitmentTask(
            upfront: arguments["upfront"] ?? "", monthly: arguments["monthly"] ?? "", format: arguments["format"],
            table: arguments["table"]
        ).run(console)
    }
}

extension Command {
    fileprivate static let salesImport = Command(
        name: "sales import", summary: "takes in Apple's Summary Sales, Subscription Event and Subscriber files", operands: "FILE...",
        maximumOperands: 10_000,
        options: [
            .config, .app, Option(name: "sku", value: "SKU", help: "of the app in App Store Connect; else found out from the files"), .json,
        ],
        discussion: """
            Daily files, plain or packed by gzip. The same content again changes nothing; another content for the same day and vendor takes
            the place of the one before. Exits 1 where a file could not be taken in.
            """
    ) { arguments, console in
        try await SalesImportTask(
            configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", sku: arguments["sku"], files: arguments.operands,
            json: arguments.has("json")
        ).run(console)
    }

    fileprivate static let salesFetch = Command(
        name: "sales fetch", summary: "fetches daily sales files through App Store Connect and takes them in",
        options: [
            .config, .app, Option(name: "kind", value: "KIND", help: "summary (default), event or subscriber"),
            Option(name: "from", value: "DAY", help: "first day of Pacific Time; else 30 days before --to"),
            Option(name: "to", value: "DAY", help: "the day after the last; else today, which has no file yet"),
            Option(name: "sku", value: "SKU", help: "of the app in App Store Connect; else found out from the files"),
            Option(name: "again", help: "asks for days that were imported before, too"), .json,
        ],
        discussion: """
            Needs salesReports in the configuration: your vendor number and a Team key. Days that were imported before are left out. A day
            without a file is none: nothing was sold, or the file comes later; the next run asks again. Stops at the first failure and exits 1.
            """
    ) { arguments, console in
        try await SalesFetchTask(
            SalesFetchTask.Options(
                configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", kind: arguments["kind"], from: arguments["from"],
                to: arguments["to"], sku: arguments["sku"], again: arguments.has("again"), json: arguments.has("json"))
        ).run(console)
    }

    fileprivate static let salesCheck = Command(
        name: "sales check", summary: "compares the refunds in imported files with those received",
        options: [
            .config, .app, Option(name: "kind", value: "KIND", help: "summary (default), event or subscriber"),
            Option(name: "from", value: "DAY", help: "first day of Pacific Time; else 30 days before --to"),
            Option(name: "to", value: "DAY", help: "the day after the last; else tomorrow"), .format, .table,
        ],
        discussion: "By day of Pacific Time, product, territory and currency. Production only. Exits 1 where something differs."
    ) { arguments, console in
        try await SalesCheckTask(
            configFile: arguments["config"] ?? "", app: arguments["app"] ?? "", kind: arguments["kind"], from: arguments["from"],
            to: arguments["to"], format: arguments["format"], table: arguments["table"]
        ).run(console)
    }
}

extension Option {
    fileprivate static let format = Option(name: "format", value: "FORM", help: "table (default), csv or json")
    fileprivate static let table = Option(name: "table", value: "NAME", help: "only this table; csv prints the first without it")
}
