import Crypto
import Domain
import Gzip
import Store

/// What one of Apple's files tells of an app's refunds.
package struct SalesFile: Sendable {
    package var kind: SalesFileKind
    /// From the file's name; empty where it does not tell.
    package var vendor: String
    /// Of the unpacked text, in hexadecimal.
    package var sha256: String
    /// By day. A day without refunds is there as well: the file speaks of it.
    package var days: [Int64: [ReportedRefund]]
    /// Product ids by Apple's number.
    package var products: [String: String]
    /// How many rows belong to the app.
    package var ownRows: Int

    /// The largest file that is read, unpacked.
    package static let limit = 512 * 1_024 * 1_024

    /// - Parameters:
    ///   - bytes: Plain or packed by gzip.
    ///   - name: Apple's: `S_D_80000001_20261101.txt.gz`.
    ///   - app: Whose rows are wanted.
    package init(_ bytes: [UInt8], name: String, of app: SalesApp) throws(SalesFileError) {
        let content = try SalesFile.content(bytes)
        guard let text = String(validating: content, as: UTF8.self) else { throw SalesFileError("it is not text in UTF-8") }
        let table = try SalesTable(text)
        let named = SalesFileName(name)
        vendor = named.vendor
        sha256 = SalesFile.hexadecimal(SHA256Digest.hash(content))
        var reading = try SalesReading(table, app)
        if let day = named.day { reading.days[day, default: [:]].merge([:]) { first, _ in first } }
        kind = reading.kind
        products = reading.products
        ownRows = reading.ownRows
        days = reading.days.mapValues {
            $0.values.sorted { ($0.product, $0.territory, $0.currency) < ($1.product, $1.territory, $1.currency) }
        }
    }

    private static func content(_ bytes: [UInt8]) throws(SalesFileError) -> [UInt8] {
        guard Gzip.isPacked(bytes) else { return bytes }
        do { return try Gzip.unpacked(bytes, limit: limit) } catch {
            switch error {
            case .damaged: throw SalesFileError("the gzip file is damaged or not whole: download it again")
            case .tooLong: throw SalesFileError("unpacked it is over \(limit / 1_024 / 1_024) MiB")
            }
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Which rows of files are an app's.
package struct SalesApp: Hashable, Sendable {
    package var appleID: Int64?
    /// The SKU of the app itself, which in-app purchases have as `Parent Identifier`; nil where it is to be found out.
    package var sku: String?

    package init(appleID: Int64?, sku: String?) {
        self.appleID = appleID
        self.sku = sku
    }
}

/// - Source: names of downloaded reports: `S_D_<vendor>_<yyyymmdd>`, `Subscription_Event_<vendor>_<yyyymmdd>`, `Subscriber_…`.
private struct SalesFileName {
    var vendor = ""
    var day: Int64?

    init(_ name: String) {
        let base = name.split(separator: "/").last.map(String.init) ?? name
        let words = base.prefix { $0 != "." }.split(separator: "_")
        guard let last = words.last, last.count == 8, Int64(last) != nil, words.count >= 3 else { return }
        let text = "\(last.prefix(4))-\(last.dropFirst(4).prefix(2))-\(last.suffix(2))"
        day = Timestamp(utc: text + "T00:00Z").map { CivilDate($0).daysSinceEpoch }
        let number = words[words.count - 2]
        if number.allSatisfy(\.isNumber) { vendor = String(number) }
    }
}
