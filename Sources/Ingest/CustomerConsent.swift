import Crypto
import Domain
import Store

/// Where the consent of a customer with these names stands now.
///
/// With blanket consent also a no counts that outlived its customer: whoever refused and was forgotten is known again by a hash.
package func consentStanding(of aliases: [Alias], app: AppSettings, in ledger: Ledger, _ tx: any ReadTransaction)
    throws(StoreError) -> ConsentStanding
{
    var names = refs(of: aliases)
    if app.consentMode != .perCustomer { names += names.map { keptRefusalRef($0, in: ledger) } }
    let said = try tx.consents(refs: names, in: ledger).map(\.fact)
    return consentStanding(said, mode: app.consentMode, minimumTextVersion: app.minimumTextVersion)
}

/// The name under which a forgotten customer's no is kept.
func keptRefusalRef(_ name: String, in ledger: Ledger) -> String {
    "refused:" + hexadecimal(SHA256Digest.hash(Array("\(ledger.app)/\(ledger.environment.rawValue)/\(name)".utf8)))
}
