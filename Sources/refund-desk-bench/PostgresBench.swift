import Foundation

/// One and two desks on one PostgreSQL.
struct PostgresBench {
    let options: Options
    let sample: Sample
    private static let share = 0.25

    func run(_ report: Report) async throws {
        guard let url = options.postgres else { return }
        let folder = try DeskFolder(sample, database: url)
        defer { folder.remove() }
        // What has been taken in once is a duplicate ever after: each measurement has messages of its own.
        var rest = sample.bodies[...]
        let (large, small) = (rest.count * 2 / 5, rest.count / 15)
        try await compare(large, &rest, folder, report)
        try await held(small, &rest, folder, report)
    }

    private func compare(
        _ count: Int, _ rest: inout ArraySlice<[UInt8]>, _ folder: DeskFolder, _ report: Report
    ) async throws {
        let one = try ChildDesk(folder, options: options)
        defer { one.stop() }
        let alone = try await post(count, &rest, to: [one])
        report.add(
            "durable intake over HTTP, PostgreSQL, one desk", alone.perSecond, "notifications/s", as: "one desk",
            comparedWith: ["intake", "bare verifications, all cores"])
        report.add("of which the desk's own processors, PostgreSQL", one.processorSeconds / Double(count) * 1e6, "us each")
        report.add("acknowledgement at that load, p99", alone.latencies.quantile(0.99) * 1e3, "ms")
        let other = try ChildDesk(folder, options: options)
        defer { other.stop() }
        let both = try await post(count, &rest, to: [one, other])
        report.add("the same, two desks", both.perSecond, "notifications/s", comparedWith: ["one desk", "intake"])
        report.add("acknowledgement at that load, p99", both.latencies.quantile(0.99) * 1e3, "ms")
    }

    /// Where desk, database and load generator share two cores, two desks cannot do more than one. Each held to a part of a core, they show
    /// whether they stand in each other's way.
    private func held(_ count: Int, _ rest: inout ArraySlice<[UInt8]>, _ folder: DeskFolder, _ report: Report) async throws {
        let quotas = (0..<2).compactMap { ProcessorQuota("refund-desk-bench-\(getpid())-\($0)", share: PostgresBench.share) }
        guard quotas.count == 2 else {
            report.note("desks held to a part of a core", "not measured: this user may not make control groups")
            return
        }
        defer { for quota in quotas { quota.remove() } }
        var desks: [ChildDesk] = []
        defer { for desk in desks { desk.stop() } }
        for quota in quotas {
            let desk = try ChildDesk(folder, options: options)
            desks.append(desk)
            guard quota.hold(desk.processIdentifier) else { throw BenchFault("a desk could not be held to its part of a core") }
        }
        let text = "each held to \(Int(PostgresBench.share * 100)) % of a core"
        let alone = try await post(count, &rest, to: [desks[0]])
        report.add("PostgreSQL, one desk, \(text)", alone.perSecond, "notifications/s", as: "one desk so held")
        let both = try await post(count * 2, &rest, to: desks)
        report.add("PostgreSQL, two desks, \(text)", both.perSecond, "notifications/s", comparedWith: ["one desk so held"])
    }

    private func post(_ count: Int, _ rest: inout ArraySlice<[UInt8]>, to desks: [ChildDesk]) async throws -> LoadResult {
        let bodies = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return try await Load(ports: desks.map(\.port)).run(bodies.count) { RawConnection.post(notificationsPath, bodies[$0]) }
    }
}
