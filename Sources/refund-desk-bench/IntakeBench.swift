import Foundation

/// Notifications posted over HTTP, each acknowledged only after its commit; the load generator shares the cores.
struct IntakeBench {
    let options: Options
    let sample: Sample

    func run(_ report: Report) async throws {
        let folder = try DeskFolder(sample)
        defer { folder.remove() }
        let desk = try ChildDesk(folder, options: options)
        defer { desk.stop() }
        let result = try await IntakeBench.post(sample, to: [desk.port])
        report.add(
            "durable intake over HTTP, SQLite, 64 in flight", result.perSecond, "notifications/s", as: "intake",
            comparedWith: ["bare verifications, all cores", "Python peer"])
        report.add(
            "of which the desk's own processors", desk.processorSeconds / Double(sample.bodies.count) * 1e6, "us each",
            comparedWith: ["three bare verifications"])
        report.add("acknowledgement at that load, median", result.latencies.quantile(0.5) * 1e3, "ms")
        report.add("acknowledgement at that load, p99", result.latencies.quantile(0.99) * 1e3, "ms")
        report.add("memory at that load, most", desk.peakMegabytes, "MB")
    }

    static func post(_ sample: Sample, to ports: [UInt16], count: Int? = nil, rate: Double? = nil) async throws -> LoadResult {
        let bodies = sample.bodies
        return try await Load(ports: ports, rate: rate).run(count ?? bodies.count) { RawConnection.post(notificationsPath, bodies[$0]) }
    }
}

/// How long an acknowledgement takes at fixed rates, counted from when each was due.
struct SteadyBench {
    let options: Options
    let sample: Sample

    func run(_ report: Report) async throws {
        for rate in [100.0, 500, 1_000] {
            let folder = try DeskFolder(sample)
            defer { folder.remove() }
            let desk = try ChildDesk(folder, options: options)
            defer { desk.stop() }
            let count = min(sample.bodies.count, Int(rate * (options.isQuick ? 2 : 8)))
            let result = try await IntakeBench.post(sample, to: [desk.port], count: count, rate: rate)
            report.add("acknowledgement at \(Int(rate)) a second, median", result.latencies.quantile(0.5) * 1e3, "ms")
            report.add(
                "acknowledgement at \(Int(rate)) a second, p99", result.latencies.quantile(0.99) * 1e3, "ms", as: "p99 at \(Int(rate))")
        }
    }
}

/// A plain server on Apple's own library, see `benchmarks/peer`, doing the same verified, durable intake.
struct PeerBench {
    let options: Options
    let sample: Sample

    func run(_ report: Report) async throws {
        guard let peer = options.peer, let port = URL(string: peer)?.port.map(UInt16.init), let data = options.peerData else {
            throw BenchFault("--peer needs a URL with a port, and --peer-data a folder")
        }
        try sample.describe(in: data)
        let count = min(sample.bodies.count, options.isQuick ? 200 : 1_000)
        let bodies = sample.bodies
        let result = try await Load(ports: [port], inFlight: 16).run(count) { RawConnection.post("/notifications", bodies[$0]) }
        report.add("the same intake by the Python peer", result.perSecond, "notifications/s", as: "Python peer")
        report.add("its acknowledgement, p99", result.latencies.quantile(0.99) * 1e3, "ms")
    }
}
