import Ashlar
import AshlarAppConfig
import AshlarCore
import AshlarCustomization
import AshlarEventBus
import AshlarInspector
import AshlarLogging
import AshlarNetworking
import AshlarTesting
import Foundation

// An app with an inspector for tests, which does what the lines of its standard input say.
//
//     AshlarInspectorTestChild RESOURCES STATE
//
// It prints the URL of the inspector. `state` prints its state as a line of JSON; `log STRING` logs a JSON string; `event STRING`
// triggers an event with one; `get PATH` sends a request; `head STRING` sends one with a field; `url` prints another URL; `rate N` triggers N events and logs N lines a
// second until the next `rate`. The end of the input ends it.

nonisolated struct Note: Codable, Sendable { var text: String }

let arguments = CommandLine.arguments
var configuration = AshlarApp.Configuration(resources: arguments[1], environments: [])
configuration.storage = .folder(arguments[2])
configuration.log = LogConfiguration(sinks: [])
configuration.transport = StubTransport(["GET /notes": .text("[]"), "GET /missing": .status(404)])
let recorder = ExchangeRecorder(limit: 200)
configuration.client.attemptMiddleware.append(recorder)
let app = AshlarApp(configuration)
let triggered = Topic<Note>("note:saved")
let named = Topic<String>("note:named")
let notes = Received()
let opened = Received()
let watch = app.bus.watch(triggered) { notes.add($0.payload.text) }
let nameWatch = app.bus.watch(named) { notes.add($0.payload) }
try route(app.router, to: opened)
try await app.services.register("store") { Store($0) }
try await app.services.register("sync", needs: ["store"]) { Store($0) }
Log("app").info("ready")
let inspector = Inspector(app, title: "Inspected app", recorder: recorder)
try await inspector.start { print($0) }
fflush(nil)

let rate = Rate()
Task.detached { [app, triggered] in try await rate.run(app, triggered) }
while let line = readLine() {
    let command = line.prefix { $0 != " " }
    let text = String(line.dropFirst(command.count + 1))
    switch command {
    case "log": Log("app").warning("\(decoded(text))")
    case "event": app.bus.trigger(triggered, Note(text: decoded(text)))
    case "get":
        await send("https://api.example.com" + text)
    case "head": await send("https://api.example.com/notes", ["X-Text": decoded(text)])
    case "rate": rate.set(Int(text) ?? 0)
    case "url": print(inspector.makeURL() ?? "")
    case "state":
        let state: JSONEntity = [
            "host": JSONEntity(app.hosts.resolve("api.example.com")?.host ?? ""),
            "timeout": JSONEntity(app.config.current.int(forKey: "api.timeout") ?? -1),
            "title": JSONEntity(app.customization.current.string("title")),
            "threshold": JSONEntity(LogSystem.thresholds.contexts["net"]??.description ?? ""),
            "notes": JSONEntity(notes.text), "opened": JSONEntity(opened.text),
        ]
        print(state.text())
    default: print("unknown: \(line)")
    }
    fflush(nil)
}

/// Sends a request, and logs its failure, for example that a field has a character that no field can have.
nonisolated func send(_ url: String, _ headers: HTTPHeaders = [:]) async {
    do { _ = try await app.client.send(NetworkRequest(.get, url, headers: headers)) } catch {
        Log("app").info("\(error)")
    }
}

/// Adds a route, whose action doesn't wait for the main thread, which reads the input.
nonisolated func route(_ router: Router, to opened: Received) throws {
    try router.route("/notes/:id(int)") { opened.add($0.url) }
}

/// The text of a JSON string.
func decoded(_ json: String) -> String { (try? JSONEntity(parsing: json).string()) ?? json }

/// Texts that handlers have received.
final class Received: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0 = $0.suffix(9) + [text] } }

    var text: String { texts.withLock { $0 }.joined(separator: ", ") }
}

/// Triggers events and logs lines at a rate.
final class Rate: Sendable {
    private let perSecond = Mutex(0)

    func set(_ count: Int) { perSecond.withLock { $0 = count } }

    /// Runs until the process ends.
    func run(_ app: AshlarApp, _ topic: Topic<Note>) async throws {
        var number = 0
        var next = ContinuousClock.now
        while true {
            // Ten times a second, also if the work takes long.
            for _ in 0..<(perSecond.withLock { $0 } / 10) {
                number += 1
                app.bus.trigger(topic, Note(text: "number \(number)"))
                Log("load").info("line \(number) of some length, as a program logs it")
            }
            next += .milliseconds(100)
            try await Task.sleep(until: next)
        }
    }
}

struct Store: Service {
    init(_ context: ServiceContext) {}
}
