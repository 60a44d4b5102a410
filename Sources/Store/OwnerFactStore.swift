import Domain

/// A customer's own preference or tags, as the owner set them: JSON text; nil where it was taken back.
package struct CustomerSetting: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable { case preference, tags }
    package var kind: Kind
    package var ref: String
    package var json: String?
    package var at: Timestamp

    package init(kind: Kind, ref: String, json: String?, at: Timestamp) {
        self.kind = kind
        self.ref = ref
        self.json = json
        self.at = at
    }
}

/// A consent with the number of its entry in the log.
package struct RecordedConsent: Hashable, Sendable {
    package var sequence: Int64
    package var fact: ConsentFact

    package init(sequence: Int64, fact: ConsentFact) {
        self.sequence = sequence
        self.fact = fact
    }
}

package protocol OwnerFactReading {
    /// Every consent recorded under any of these names, in the order recorded.
    func consents(refs: [String], in ledger: Ledger) throws(StoreError) -> [RecordedConsent]
    func delivery(_ id: TransactionID, in ledger: Ledger) throws(StoreError) -> DeliveryFact?
    /// The outages recorded of a product, in the order they were given.
    func outages(of product: ProductID, in ledger: Ledger) throws(StoreError) -> [Outage]
    /// Millionths of units per meter, summed over all usage reported for this subject; empty where none ever was.
    func usage(of subject: UsageFact.Subject, in ledger: Ledger) throws(StoreError) -> [String: Int64]
    /// Millionths of units of one meter, summed over the usage that is dated in the interval, its end excluded. Costs about the same
    /// whether ten events were reported or ten million.
    func usage(of subject: UsageFact.Subject, meter: String, in ledger: Ledger, from: Timestamp, to: Timestamp)
        throws(StoreError) -> Int64
    /// Those of a customer's names under which usage was reported.
    func usageRefs(of customer: CustomerID) throws(StoreError) -> [String]
    /// The newest under any of these names.
    func setting(_ kind: CustomerSetting.Kind, refs: [String], in ledger: Ledger) throws(StoreError) -> CustomerSetting?
}

package protocol OwnerFactWriting {
    func put(_ fact: ConsentFact, sequence: Int64, in ledger: Ledger) throws(StoreError)
    /// The newest `at` counts, of equals the later put.
    func put(_ fact: DeliveryFact, in ledger: Ledger) throws(StoreError)
    /// Replaces all outages of the product.
    func put(_ fact: OutagesFact, in ledger: Ledger) throws(StoreError)
    /// Adds to the sums; the caller made sure that the event is new.
    func add(_ fact: UsageFact, in ledger: Ledger) throws(StoreError)
    func put(_ setting: CustomerSetting, sequence: Int64, in ledger: Ledger) throws(StoreError)
}
