import Dashboard
import Domain
import HTTPServer

extension Desk {
    /// The pages for people, told what only the configuration knows.
    static func dashboard(_ configuration: Configuration, _ core: DeskCore, listen: ListenAddress?, port: UInt16) -> Dashboard {
        let limits = Dictionary(uniqueKeysWithValues: configuration.apps.map { ($0.id, RepeatRefundLimits($0.repeatRefunder)) })
        let small = Set(configuration.apps.filter(\.economics.smallBusinessProgram).map(\.id))
        let tester = TestNotifier(apis: core.apis, store: core.store, time: core.time)
        let settings = DashboardSettings(
            publicURL: configuration.publicAddress(listen: listen, port: port),
            isSecure: configuration.tls != nil || configuration.publicURL.hasPrefix("https://"), isSimulated: configuration.simulated,
            version: Version.current, trustedProxies: configuration.trustedProxies,
            repeatRefundBounds: { limits[$0] ?? RepeatRefundLimits(RepeatRefunder()) },
            isInSmallBusinessProgram: { small.contains($0) },
            revenueCatApps: Set(configuration.apps.filter { $0.forward.contains(where: \.isRevenueCat) }.map(\.id)),
            readPolicy: { PolicyDraft($0) }, sendTest: { await tester.send($0) })
        return Dashboard(apps: core.apps, store: core.store, time: core.time, metrics: core.metrics, settings: settings)
    }
}

extension Configuration {
    /// Where no public URL is configured the desk is known by what it listens on: with the port that was bound.
    fileprivate func publicAddress(listen: ListenAddress?, port: UInt16) -> String {
        guard publicURL == "http://\(self.listen)" else { return publicURL }
        return "http://\(ListenAddress(host: (listen ?? self.listen).host, port: port))"
    }
}

extension RepeatRefundLimits {
    fileprivate init(_ configured: RepeatRefunder) {
        self.init(granted: configured.granted, requested: configured.requested, days: configured.days)
    }
}

extension PolicyDraft {
    /// Variables of the environment are none of a draft's: what somebody types into a page could read them out.
    fileprivate init(_ text: String) {
        let reading = PolicyReading(of: Array(text.utf8), variables: [:])
        self.init(policy: reading.policy, mistakes: reading.mistakes.map(Remark.init), warnings: reading.warnings.map(Remark.init))
    }
}

extension PolicyDraft.Remark {
    fileprivate init(_ mistake: ConfigurationMistake) {
        let place = mistake.path.isEmpty ? "" : "\(mistake.path): "
        self.init(line: mistake.line, text: place + mistake.message)
    }
}
