/// What a certificate that we make ourselves shall say. The three kinds below are right; change a field to make a wrong one.
package struct CertificateTemplate: Sendable {
    package struct Extension: Sendable {
        package var oid: String
        /// DER. A marker, which only has to be there, holds NULL.
        package var value: [UInt8]
        package init(oid: String, value: [UInt8] = [0x05, 0x00]) {
            self.oid = oid
            self.value = value
        }
    }

    package var commonName: String
    /// More of the subject: type in dots, and value.
    package var subjectAttributes: [(oid: String, value: String)] = []
    /// Milliseconds since the epoch; whole seconds are kept.
    package var validity: ClosedRange<Int64>
    package var isCA: Bool
    package var pathLength: Int?
    /// OpenSSL's names, such as `keyCertSign`; none leaves the extension out.
    package var keyUsage: [String]
    /// The OCSP responder in the authority information access; nil leaves the extension out. Without commas.
    package var ocspURL: String?
    /// Adds the extended key usage with which an issuer lets a certificate sign OCSP responses for it.
    package var isOCSPSigner = false
    /// Subject and authority key identifiers, which a strict check wants.
    package var hasKeyIdentifiers = true
    package var extensions: [Extension] = []

    package static func root(_ commonName: String, validity: ClosedRange<Int64>) -> CertificateTemplate {
        CertificateTemplate(commonName: commonName, validity: validity, isCA: true, pathLength: nil, keyUsage: ["keyCertSign", "cRLSign"])
    }

    /// - Parameter marker: The type of an extension to add, in dots.
    package static func intermediate(_ commonName: String, validity: ClosedRange<Int64>, marker: String?) -> CertificateTemplate {
        CertificateTemplate(
            commonName: commonName, validity: validity, isCA: true, pathLength: 0, keyUsage: ["keyCertSign", "cRLSign"],
            extensions: marker.map { [Extension(oid: $0)] } ?? [])
    }

    /// - Parameter marker: The type of an extension to add, in dots.
    package static func leaf(_ commonName: String, validity: ClosedRange<Int64>, marker: String?) -> CertificateTemplate {
        CertificateTemplate(
            commonName: commonName, validity: validity, isCA: false, pathLength: nil, keyUsage: ["digitalSignature"],
            extensions: marker.map { [Extension(oid: $0)] } ?? [])
    }
}
