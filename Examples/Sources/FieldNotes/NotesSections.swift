import Ashlar
import Synchronization

/// One note.
struct GetNote: Endpoint {
    struct Output: Decodable, Sendable { let title, body: String }
    let host: EndpointHost
    let id: Int
    var path: EndpointPath { "notes/\(id)" }
}

/// All notes, as JSON to read field by field.
struct ListNotes: Endpoint {
    typealias Output = JSONEntity
    let host: EndpointHost
    let path: EndpointPath = "notes"
}

/// Counts the active requests, like iStructure's service for the activity indicator.
final class NetworkStateService: Service, WatchOwner {
    static let name = "net_state"
    let watches = WatchBag()
    private let counts = Mutex((now: 0, all: 0))

    init(_ context: ServiceContext) async throws {
        context.bus.watch(NetworkActivity.on, owner: self) { service, _ in
            service.counts.withLock { $0 = ($0.now + 1, $0.all + 1) }
        }
        context.bus.watch(NetworkActivity.off, owner: self) { service, _ in service.counts.withLock { $0.now -= 1 } }
    }

    var summary: String { counts.withLock { "\($0.all) requests, \($0.now) active" } }
}

/// What the app does with its parts: services, events, requests and navigation.
extension FieldNotes {
    /// The server of `--live`, or the configuration's canonical host, which the host map resolves.
    private var host: EndpointHost {
        options["--live"].map { .url($0) }
            ?? .canonical(app.config.current.string(forKey: "api.host", default: "api.fieldnotes.example"))
    }

    func showServices() async -> Bool {
        screen.heading("Services and events")
        let shown = app.bus.watch("service:**") { [screen] signal in screen.row("event", signal.name) }
        defer { shown.cancel() }
        do {
            try await app.services.register(NetworkStateService.self)
            let state = try await app.services.start(NetworkStateService.self)
            showEvents()
            let hasNotes = await showNotes()
            await navigate()
            screen.row("net_state", state.summary)
            try await app.services.stop("net_state")
            return hasNotes
        } catch {
            report("\(error)")
            return false
        }
    }

    /// Watches a pattern, a topic and an object, triggers, and unwatches.
    private func showEvents() {
        let (selected, source) = (Topic<Int>("note:title:selected"), app.hosts)
        let all = app.bus.watch("note:**") { [screen] signal in screen.row("any note event", signal.name) }
        let watches = [
            app.bus.watch(selected) { [screen] signal in screen.row("note selected", "\(signal.payload)") },
            app.bus.watch("**", from: source) { [screen] _ in screen.row("from the object", "") },
        ]
        screen.quiet("delivered to \(app.bus.trigger(selected, 5, from: source).delivered) watchers")
        for watch in watches { watch.cancel() }
        let count = app.bus.trigger(selected, 3, from: source).delivered
        screen.quiet("delivered to \(count) watchers after unwatching two")
        all.cancel()
    }

    /// Loads all notes, and one that doesn't exist.
    private func showNotes() async -> Bool {
        screen.heading("Notes from \(options["--live", default: "the recordings in notes.har"])")
        log.info("loads notes").indent(true)
        defer { log.indent(false).info("loads notes DONE") }
        do throws(NetworkError) {
            let notes = try await app.client.send(ListNotes(host: host))["notes"]
            for note in notes {
                let title = "\(note["id"].int(0))  \(note["title"].string("(untitled)"))"
                screen.row(title, note["tags"].map { $0.string("") }.joined(separator: ", "))
            }
            log.debug("\(notes.count) notes")
            _ = try await app.client.send(GetNote(host: host, id: 99))
            return true
        } catch {
            if error.status == 404 { screen.quiet("note 99: \(error.userMessage)") } else { report(error) }
            return error.status == 404
        }
    }

    /// Registers a route that loads a note, and navigates to it and to a place that no route has.
    private func navigate() async {
        do {
            _ = try app.router.route("/notes/:id(int)") { [app, host, screen] navigation in
                let note = try await app.client.send(GetNote(host: host, id: navigation.parameters.value("id")))
                screen.text("\(navigation.url) -> \(note.title): \(note.body)")
            }
            try await app.router.navigate(to: "/notes/5")
            log.info("navigated to /notes/5")
            try await app.router.navigate(to: "/maps/5")
        } catch {
            screen.quiet("\(error)")
        }
    }
}
