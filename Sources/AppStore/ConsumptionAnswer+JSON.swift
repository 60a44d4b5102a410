import Domain

extension ConsumptionAnswer {
    /// The request body of Send Consumption Information, V2: words, not numbers, keys in alphabetical order, so that equal answers are
    /// equal bytes.
    package var jsonText: String {
        var fields: [String] = []
        if let consumptionPercentage { fields.append("\"consumptionPercentage\":\(consumptionPercentage)") }
        fields.append("\"customerConsented\":true")
        fields.append("\"deliveryStatus\":\"\(deliveryStatus.rawValue)\"")
        if let refundPreference { fields.append("\"refundPreference\":\"\(refundPreference.rawValue)\"") }
        fields.append("\"sampleContentProvided\":\(sampleContentProvided)")
        return "{" + fields.joined(separator: ",") + "}"
    }
}
