import Ashlar
import AshlarTesting
import Synchronization

/// The notes or one of them, as JSON to read field by field.
struct GetNotes: Endpoint {
    typealias Output = JSONEntity
    let host: EndpointHost
    var path: EndpointPath = "notes"
}

/// The recorded notes API, which answers for every host; a damaged recording fails the request, not the start.
struct Recordings: NetworkTransport {
    let folder: String

    func send(_ request: NetworkRequest) async throws(NetworkError) -> StreamedResponse {
        try await ReplayTransport(contentsOfFile: "\(folder)/notes.har", matching: .anyHost).send(request)
    }
}

/// Counts the active requests, like iStructure's service for the activity indicator.
final class NetworkStateService: Service, WatchOwner {
    static let name = "net_state"
    let watches = WatchBag()
    let counts = Mutex((now: 0, all: 0))

    init(_ context: ServiceContext) async throws {
        context.bus.watch(NetworkEvent.on, owner: self) { service, _ in
            service.counts.withLock { $0 = ($0.now + 1, $0.all + 1) }
        }
        context.bus.watch(NetworkEvent.off, owner: self) { service, _ in service.counts.withLock { $0.now -= 1 } }
    }
}

/// What the app does with its parts: services, events, requests and navigation.
extension FieldNotes {
    /// Shows events and notes while a service counts requests.
    func showServices() async throws {
        screen.heading("Services, notes and navigation")
        try await app.services.register(NetworkStateService.self)
        let state = try await app.services.start(NetworkStateService.self)
        showEvents()
        do { try await showNotes() } catch { report("\(error)") }
        screen.row("net_state", state.counts.withLock { "\($0.all) requests, \($0.now) active" })
        try await app.services.stop("net_state")
    }

    /// Watches a topic and a pattern, triggers, and unwatches one of them.
    private func showEvents() {
        let selected = Topic<Int>("note:title:selected")
        let all = app.bus.watch("note:**") { [screen] signal in screen.row("any note event", signal.name) }
        let one = app.bus.watch(selected) { [screen] signal in screen.row("note selected", "\(signal.payload)") }
        screen.text("delivered to \(app.bus.trigger(selected, 5).delivered) watchers")
        one.cancel()
        screen.text("delivered to \(app.bus.trigger(selected, 3).delivered) watchers after unwatching one")
        all.cancel()
    }

    /// Loads all notes, navigates to one of them twice, and to a note and a place that don't exist.
    private func showNotes() async throws {
        let configured = app.config.current[Keys.apiHost]
        let host: EndpointHost = options["--live"].isEmpty ? .canonical(configured) : .url(options["--live"])
        log.info("loads notes")
        log.indent(true)
        defer { log.indent(false).info("loads notes DONE") }
        let notes = try await app.client.send(GetNotes(host: host))["notes"]
        for note in notes {
            let tags = note["tags"].map { $0.string("") }.joined(separator: ", ")
            screen.row("\(note["id"].int(0))  \(note["title"].string("(untitled)"))", tags)
        }
        log.debug("\(notes.count) notes")
        _ = try app.router.route("/notes/:id(int)") { [app, screen] navigation in
            let id: Int = try navigation.parameters.value("id")
            let note = try await app.client.send(GetNotes(host: host, path: "notes/\(id)"))
            screen.text("\(navigation.url) -> \(note["title"].string("")): \(note["body"].string(""))")
        }
        try await app.router.navigate(to: "/notes/5")
        log.info("navigated to /notes/5")
        for url in ["/notes/5", "/notes/99", "/maps/5"] where await app.open(url) == nil { screen.text("No \(url)") }
    }
}
