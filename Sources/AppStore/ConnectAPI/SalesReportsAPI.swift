import Crypto
import Domain
import Foundation
import HTTPClient

/// What App Store Connect issued for fetching an organization's sales reports: a team key. Keys of one person cannot, nor can In-App Purchase keys.
package struct SalesReportsCredentials: Sendable {
    package var issuerID: String
    package var keyID: String
    package var privateKey: P256PrivateKey
    /// Apple's number of the seller, from Payments and Financial Reports.
    package var vendorNumber: String

    package init(issuerID: String, keyID: String, privateKey: P256PrivateKey, vendorNumber: String) {
        self.issuerID = issuerID
        self.keyID = keyID
        self.privateKey = privateKey
        self.vendorNumber = vendorNumber
    }
}

/// Apple's App Store Connect API, as far as daily sales reports go.
///
/// - Source: Download Sales and Trends Reports; the answer to 200 is the packed file itself.
package struct SalesReportsAPI: Sendable {
    package enum Report: String, Sendable, CaseIterable {
        case sales = "SALES"
        case subscriptionEvent = "SUBSCRIPTION_EVENT"
        case subscriber = "SUBSCRIBER"
    }
    package enum Answer: Sendable, Hashable {
        /// As Apple packed it.
        case file([UInt8])
        /// Nothing was sold on that day, or the report is not there yet: Apple does not tell which.
        case none
        /// In words for the operator.
        case failed(String)
    }
    package static let appleURL = "https://api.appstoreconnect.apple.com"
    private static let tries = 3
    private static let longestFile = 64 << 20

    private let credentials: SalesReportsCredentials
    private let baseURL: String
    private let client: any Transport
    private let allowsPrivateTargets: Bool
    private let time: any Time

    /// - Parameters:
    ///   - baseURL: Without a path or a slash at the end. Another than Apple's is for simulated instances.
    ///   - allowsPrivateTargets: Whether it may be on this machine or in a private network.
    package init(
        _ credentials: SalesReportsCredentials, baseURL: String = SalesReportsAPI.appleURL, client: any Transport,
        allowsPrivateTargets: Bool = false, time: any Time
    ) {
        self.credentials = credentials
        self.baseURL = baseURL
        self.client = client
        self.allowsPrivateTargets = allowsPrivateTargets
        self.time = time
    }

    /// Asks for one day's report; a fault of Apple's or of the network is tried again, with a pause.
    ///
    /// - Parameter day: `2026-11-01`, of Pacific Time.
    package func report(_ report: Report, of day: String) async -> Answer {
        var answer = await ask(report, day)
        for attempt in 1..<SalesReportsAPI.tries where answer.mayHelpLater {
            do { try await time.sleep(until: time.now() + .seconds(Int64(attempt * attempt))) } catch { break }
            answer = await ask(report, day)
        }
        return answer.answer
    }

    private func ask(_ report: Report, _ day: String) async -> (answer: Answer, mayHelpLater: Bool) {
        let request = HTTPClientRequest(
            url: url(report, day), headers: [("Authorization", "Bearer \(token(at: time.now()))"), ("Accept", "application/a-gzip")],
            timeout: .seconds(60), maximumResponseSize: SalesReportsAPI.longestFile, allowsPrivateTargets: allowsPrivateTargets)
        do { return SalesReportsAPI.judge(try await client.send(request)) } catch {
            return (.failed("App Store Connect was not reached: \(error)"), true)
        }
    }

    private static func judge(_ response: HTTPClientResponse) -> (answer: Answer, mayHelpLater: Bool) {
        switch response.status {
        case 200: (.file(response.body), false)
        case 404: (.none, false)
        case 401, 403:
            (
                .failed(
                    "Apple refuses the key (\(response.status)): it has to be a Team key, not an individual or In-App Purchase key, with a role "
                        + "that may read sales: Admin, Finance or Sales"), false
            )
        case 429: (.failed("Apple's limit of calls for this key is used up: run it again in an hour"), false)
        case 500...: (.failed("App Store Connect answers \(response.status)"), true)
        default: (.failed("Apple refuses the question (\(response.status))\(reason(response).map { ": \($0)" } ?? "")"), false)
        }
    }

    private static func reason(_ response: HTTPClientResponse) -> String? {
        let detail = (try? JSONDecoder().decode(ErrorBody.self, from: Data(response.body)))?.errors.first?.detail
        return detail.map { String($0.prefix(200)).split { $0.isNewline || $0.isWhitespace }.joined(separator: " ") }
    }

    private struct ErrorBody: Decodable {
        struct One: Decodable { var detail: String }
        var errors: [One]
    }
}

extension SalesReportsAPI {
    private func url(_ report: Report, _ day: String) -> String {
        // For sales Apple's pages contradict each other about the version: the newest is given without one.
        let filters = [
            ("frequency", "DAILY"), ("reportType", report.rawValue), ("reportSubType", report == .subscriber ? "DETAILED" : "SUMMARY"),
            ("vendorNumber", credentials.vendorNumber), ("reportDate", day), ("version", report == .sales ? nil : "1_3"),
        ]
        let query = filters.compactMap { name, value in value.map { "filter%5B\(name)%5D=\($0)" } }
        return "\(baseURL)/v1/salesReports?\(query.joined(separator: "&"))"
    }

    /// - Source: Generating tokens for API requests: ES256, at most 20 minutes, no bundle id.
    private func token(at now: Timestamp) -> String {
        BearerToken(
            issuerID: credentials.issuerID, keyID: credentials.keyID, bundleID: nil, issuedAt: now, lifetime: .minutes(10)
        ).signed(by: credentials.privateKey)
    }
}
