import Domain
import Ingest

enum ConsentKey: String, ConfigurationKey { case mode, attestation, minimumTextVersion }

private enum ConsentModeWord: String, CaseIterable { case perCustomer, blanket }

enum EconomicsKey: String, ConfigurationKey { case smallBusinessProgram }

enum RetentionKey: String, ConfigurationKey { case usage, bodies }

enum RepeatRefunderKey: String, ConfigurationKey { case granted, requested, days }

extension ConfigurationPlace {
    func consent() -> ConsentConfiguration? {
        guard let consent = object(ConsentKey.self) else { return nil }
        let minimum = consent[.minimumTextVersion]?.filledText()
        switch consent.required(.mode, "\"perCustomer\" or \"blanket\"")?.word(ConsentModeWord.self) {
        case .perCustomer:
            if let attestation = consent[.attestation] { attestation.warn("an attestation has no effect in the mode perCustomer") }
            return ConsentConfiguration(mode: .perCustomer, minimumTextVersion: minimum)
        case .blanket:
            let attestation = consent.required(
                .attestation, "blanket consent needs an attestation: who attests, and where customers agreed")
            guard let text = attestation?.filledText() else { return nil }
            return ConsentConfiguration(mode: .blanket(attestation: text), minimumTextVersion: minimum)
        case nil:
            return nil
        }
    }

    func economics() -> Economics? {
        guard let economics = object(EconomicsKey.self) else { return nil }
        return Economics(smallBusinessProgram: economics[.smallBusinessProgram]?.bool() ?? false)
    }

    func retentionTimes() -> Retention? {
        guard let retention = object(RetentionKey.self) else { return nil }
        return Retention(usage: retention[.usage]?.retention(), bodies: retention[.bodies]?.retention())
    }

    func repeatRefunder() -> RepeatRefunder? {
        guard let object = object(RepeatRefunderKey.self) else { return nil }
        func number(_ key: RepeatRefunderKey, standard: Int) -> Int {
            object[key]?.wholeNumber(1...10_000).map { Int($0) } ?? standard
        }
        let standard = RepeatRefunder()
        return RepeatRefunder(
            granted: number(.granted, standard: standard.granted), requested: number(.requested, standard: standard.requested),
            days: number(.days, standard: standard.days))
    }
}
