import Dispatch
import Foundation
import HTTPServer
import RefundDeskClient

/// Serves ``Backend`` over HTTP until SIGTERM. The desk's own HTTP layer stands here for the web framework of your choice.
///
/// From the environment: `DESK_URL`, `DESK_APP`, `DESK_TOKEN`, `WEBHOOK_SECRET`, and `DESK_ENVIRONMENT`, which is Production or Sandbox.
@main
struct Main {
    static func main() async throws {
        let settings = ProcessInfo.processInfo.environment
        guard let url = settings["DESK_URL"].flatMap(URL.init), let app = settings["DESK_APP"], let token = settings["DESK_TOKEN"],
            let secret = settings["WEBHOOK_SECRET"],
            let environment = RefundDesk.Environment(rawValue: settings["DESK_ENVIRONMENT"] ?? "Production")
        else {
            let message = "set DESK_URL, DESK_APP, DESK_TOKEN and WEBHOOK_SECRET; DESK_ENVIRONMENT is Production or Sandbox\n"
            FileHandle.standardError.write(Data(message.utf8))
            exit(2)
        }
        let desk = try RefundDesk(url: url, app: app, token: token, environment: environment)
        let usage = UsageReporter(desk) { event, error in
            FileHandle.standardError.write(Data("usage \(event.id) was refused: \(error)\n".utf8))
        }
        let backend = try Backend(desk: desk, usage: usage, webhookSecret: secret, app: app, environment: environment)
        let routes = Routes(backend: backend)
        let server = try HTTPServer(configuration: HTTPServerConfiguration()) { await routes.answer($0) }
        FileHandle.standardOutput.write(Data("sample backend on http://127.0.0.1:\(server.port)\n".utf8))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await server.run() }
            group.addTask { await usage.run() }  // Once it is cancelled, it sends what is left.
            await terminated()
            group.cancelAll()
        }
    }

    private static func terminated() async {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        let (signals, arrived) = AsyncStream<Void>.makeStream()
        source.setEventHandler { arrived.yield() }
        source.resume()
        for await _ in signals { break }
        source.cancel()
    }
}
