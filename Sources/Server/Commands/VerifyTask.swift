import AppStore
import Crypto
import Domain
import Foundation

/// `verify`: proves a JWS or a request body and prints what is inside. Stands alone: it needs no configuration.
package struct VerifyTask: Sendable {
    let file: String
    let roots: [String]
    let bundleID: String?
    let appAppleID: Int64?
    let environment: String?
    let at: Int64?
    let json: Bool

    package init(file: String, roots: [String], bundleID: String?, appAppleID: Int64?, environment: String?, at: Int64?, json: Bool) {
        self.file = file
        self.roots = roots
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environment = environment
        self.at = at
        self.json = json
    }

    package func run(_ console: Console) throws -> ExitCode {
        if let environment, Environment(rawValue: environment) == nil {
            throw CommandFault("--environment is Production or Sandbox, not \"\(environment)\"")
        }
        let bytes = try read()
        let verifier = try verifier()
        let now = SystemTime().now().milliseconds
        switch Result(catching: { () throws(VerificationError) in try SignedDocument(bytes, verifier: verifier, at: at, now: now) }) {
        case .failure(let error): return try say(error.code.rawValue, error.detail, nil, console)
        case .success(let document):
            guard let (code, detail) = refusal(of: document) else { return try sayValid(document, console) }
            return try say(code, detail, document, console)
        }
    }

    private func read() throws(CommandFault) -> [UInt8] {
        do {
            let data = file == "-" ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(filePath: file))
            return Array(data)
        } catch { throw CommandFault("\(file) cannot be read: \(error.localizedDescription)") }
    }

    private func verifier() throws(CommandFault) -> SignedPayloadVerifier {
        guard !roots.isEmpty else { return SignedPayloadVerifier() }
        var certificates: [Certificate] = []
        for root in roots {
            do { certificates += try Certificate.fromPEMorDER(Array(Data(contentsOf: URL(filePath: root)))) } catch {
                throw CommandFault("--root \(root) is no certificate: \(error)")
            }
        }
        return SignedPayloadVerifier(roots: certificates)
    }

    /// What was demanded and is not so, in the order in which a desk judges: the app before the environment.
    private func refusal(of document: SignedDocument) -> (String, String)? {
        if let bundleID, let found = document.bundleID, found != bundleID { return ("wrong-app", "it is for the bundle \(found)") }
        if bundleID != nil, document.namesApp, document.bundleID == nil { return ("unattributed", "it names no bundle id") }
        if let appAppleID, document.environment == Environment.production.rawValue || environment == Environment.production.rawValue,
            document.carriesAppAppleID, document.appAppleID != appAppleID
        {
            return ("wrong-app", "it is for the app \(document.appAppleID.map(String.init) ?? "without appAppleId")")
        }
        if let environment, document.environment != environment {
            return ("wrong-environment", "it is for \(document.environment ?? "no environment")")
        }
        if let detail = document.mismatch { return ("inner-mismatch", detail) }
        return document.isFutureDated ? ("future-date", "its signedDate lies more than 24 hours ahead") : nil
    }

    private func sayValid(_ document: SignedDocument, _ console: Console) throws(CommandFault) -> ExitCode {
        try printDocument(Verdict(valid: true, code: nil, detail: nil, kind: document.kind, decoded: document.decoded), console)
        return .done
    }

    private func say(_ code: String, _ detail: String, _ document: SignedDocument?, _ console: Console) throws(CommandFault) -> ExitCode {
        if json {
            try printDocument(
                Verdict(valid: false, code: code, detail: detail, kind: document?.kind, decoded: document?.decoded), console)
        } else {
            console.print("invalid: \(code): \(detail)")
        }
        return .notSo
    }

    private func printDocument(_ verdict: Verdict, _ console: Console) throws(CommandFault) {
        do {
            if json { return try console.print(json: verdict) }
            console.print("valid: \(verdict.kind ?? "")")
            if let decoded = verdict.decoded { try console.print(json: decoded) }
        } catch { throw CommandFault("the result cannot be printed: \(error)") }
    }

    private struct Verdict: Encodable {
        var valid: Bool
        var code: String?
        var detail: String?
        var kind: String?
        var decoded: JSONValue?
    }
}
