import AppStoreSimulator
import Crypto
import Domain
import Foundation
import HTTPClient
import HTTPServer

/// Everything outside the desk that it can call: Apple's two hosts and the owner's receivers, under the weather.
final class Internet: Sendable {
    private let apple: SimulatedApple
    private let receivers: [String: any Destination]
    private let judge: AnswerJudge
    private let weather: Weather
    private let time: VirtualTime
    private let dice: Dice
    private let chronicle: Chronicle

    init(
        _ apple: SimulatedApple, _ receivers: [any Destination], _ judge: AnswerJudge, _ weather: Weather, _ time: VirtualTime,
        _ dice: Dice,
        _ chronicle: Chronicle
    ) {
        self.apple = apple
        self.receivers = Dictionary(uniqueKeysWithValues: receivers.map { ($0.host, $0) })
        self.judge = judge
        self.weather = weather
        self.time = time
        self.dice = dice
        self.chronicle = chronicle
    }

    static func appleURL(_ environment: Environment) -> String { "https://\(environment.rawValue.lowercased()).apple.test" }

    func carry(_ request: HTTPClientRequest) throws(HTTPClientError) -> HTTPClientResponse {
        guard let url = URLComponents(string: request.url), let host = url.host else { throw HTTPClientError(.badURL, "no URL") }
        if let receiver = receivers[host] { return try post(request, to: receiver) }
        guard let environment = Environment.allCases.first(where: { Self.appleURL($0).hasSuffix(host) }) else {
            throw HTTPClientError(.notSent, "no such host")
        }
        return try AppleCall(request, url, environment).make(self)
    }

    private func post(_ request: HTTPClientRequest, to receiver: any Destination) throws(HTTPClientError) -> HTTPClientResponse {
        let id = request.headers.first { $0.name == "webhook-id" }?.value ?? ""
        let fault = weather.receiverFault(receiver.name)
        chronicle.note("post to \(receiver.name) \(id) \(fault)")
        chronicle.count(receiver is Sink ? "tries of alerts and forwards" : "webhook tries")
        switch fault {
        case .calm:
            receiver.take(request)
            return HTTPClientResponse(status: 200)
        case .failing: return HTTPClientResponse(status: dice.pick([400, 404, 500, 503]))
        case .hanging: throw HTTPClientError(.timedOut, "the receiver hangs", isInDoubt: true)
        case .losesReplies:
            receiver.take(request)
            throw HTTPClientError(.interrupted, "the connection broke", isInDoubt: true)
        }
    }
}

/// One call of Apple's API on its way.
private struct AppleCall {
    let request: HTTPClientRequest
    let arriving: HTTPRequest
    let environment: Environment
    /// What an answer is about; nil for other calls.
    let answered: String?

    init(_ request: HTTPClientRequest, _ url: URLComponents, _ environment: Environment) {
        self.request = request
        self.environment = environment
        arriving = HTTPRequest(
            method: request.method, path: url.percentEncodedPath, query: (url.queryItems ?? []).map { ($0.name, $0.value ?? "") },
            headers: request.headers, body: request.body ?? [])
        let segments = arriving.pathSegments
        answered = segments.dropLast().last == "consumption" ? segments.last : nil
    }

    func make(_ net: Internet) throws(HTTPClientError) -> HTTPClientResponse {
        if let answered { net.judge(answered, environment) }
        net.pass(.milliseconds(10), .milliseconds(200))
        let fault = net.fault(of: self)
        switch fault {
        case .calm: return net.dated(arrive(net, isInDoubt: false), environment)
        case .unreachable: throw HTTPClientError(.notSent, "refused")
        case .losesReplies, .mixed:
            _ = arrive(net, isInDoubt: true)
            throw HTTPClientError(.interrupted, "the connection broke", isInDoubt: true)
        case .hanging:
            if net.draws(40) { _ = arrive(net, isInDoubt: true) } else { judgeLost(net) }
            let limit = Span.milliseconds(request.timeout.components.seconds * 1_000)
            net.pass(limit, limit)
            throw HTTPClientError(.timedOut, "no answer in time", isInDoubt: true)
        case .serverErrors:
            if net.draws(30) { _ = arrive(net, isInDoubt: true) } else { judgeLost(net) }
            return HTTPClientResponse(status: net.draws(50) ? 500 : 503)
        case .tooManyRequests:
            // In the sandbox Apple's windows are short, and what is asked for here must leave room in them.
            let end = environment == .production ? net.later(.seconds(30), .minutes(30)) : net.later(.seconds(5), .seconds(60))
            return HTTPClientResponse(
                status: 429, headers: [("Retry-After", "\(end.milliseconds)")],
                body: Array(#"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#.utf8))
        case .unauthorized: return net.dated(HTTPClientResponse(status: 401, body: Array("Unauthenticated\n".utf8)), environment)
        }
    }

    /// Apple looks at the call.
    private func arrive(_ net: Internet, isInDoubt: Bool) -> HTTPClientResponse {
        let response = net.respond(arriving, environment)
        net.note(self, response.status)
        if let answered {
            net.judgeBody(request.body ?? [], answered, environment, isTaken: response.status == 202, isInDoubt: isInDoubt)
        }
        return HTTPClientResponse(status: response.status, headers: response.headers, body: response.body)
    }

    /// Apple never looks at the call, but the desk cannot know.
    private func judgeLost(_ net: Internet) {
        guard let answered else { return }
        net.judgeBody(request.body ?? [], answered, environment, isTaken: false, isInDoubt: true)
    }
}

extension Internet {
    fileprivate func judge(_ id: String, _ environment: Environment) { judge.judgeCall(about: id, environment) }

    fileprivate func judgeBody(_ body: [UInt8], _ id: String, _ environment: Environment, isTaken: Bool, isInDoubt: Bool) {
        judge.judgeBody(body, about: id, environment, isTaken: isTaken, isInDoubt: isInDoubt)
    }

    /// Time passes on the way.
    fileprivate func pass(_ shortest: Span, _ longest: Span) { time.advance(by: dice.span(shortest, longest)) }
    fileprivate func later(_ shortest: Span, _ longest: Span) -> Timestamp { time.now() + dice.span(shortest, longest) }
    fileprivate func draws(_ percent: Int) -> Bool { dice.chance(percent) }

    fileprivate func fault(of call: AppleCall) -> Weather.Apple {
        let fault = weather.appleFault()
        let body = call.answered == nil ? "" : " " + String(decoding: call.request.body ?? [], as: UTF8.self)
        chronicle.note("apple \(call.environment.rawValue) \(call.request.method) \(call.arriving.path)\(body) \(fault.rawValue)")
        chronicle.count(call.answered == nil ? "questions to Apple" : "tries to answer")
        return fault
    }

    fileprivate func respond(_ request: HTTPRequest, _ environment: Environment) -> HTTPResponse {
        apple.respond(to: request, environment)
    }

    /// An answer that the desk hears, with the date by Apple's clock.
    fileprivate func dated(_ response: HTTPClientResponse, _ environment: Environment) -> HTTPClientResponse {
        var response = response
        response.headers.append((name: "Date", value: HTTPDateText.text(time.now())))
        judge.noteDate(environment)
        return response
    }

    fileprivate func note(_ call: AppleCall, _ status: Int) {
        guard status >= 400 else { return }
        if status == 401, !judge.mustDateWell(call.environment) { return }
        let body = String(decoding: call.request.body ?? [], as: UTF8.self)
        let promise: Promise = call.answered == nil ? .workIsDone : status == 404 ? .environmentsNeverMix : .noIllegalBody
        chronicle.breach(promise, "Apple answers \(status) to \(call.request.method) \(call.arriving.path) \(body)")
    }
}

/// A date as servers write it.
private enum HTTPDateText {
    static func text(_ instant: Timestamp) -> String {
        var seconds = time_t(instant.milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(days[Int(parts.tm_wday)]), \(parts.tm_mday) \(months[Int(parts.tm_mon)]) \(1_900 + parts.tm_year) \(clock) GMT"
    }
}

/// What one run of the desk sends through: with its process its calls end.
struct DeskTransport: Transport {
    let life: Life
    let internet: Internet

    func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        switch life.step() {
        case .alive: return try internet.carry(request)
        case .over, .endsBefore: throw HTTPClientError(.cancelled, "the process has ended")
        case .endsAfter:
            _ = try internet.carry(request)
            throw HTTPClientError(.cancelled, "the process has ended", isInDoubt: true)
        }
    }

    func send(_ mail: Mail) async throws(HTTPClientError) -> (reply: Int, words: String) {
        throw HTTPClientError(.notSent, "nobody here reads mail")
    }
}
