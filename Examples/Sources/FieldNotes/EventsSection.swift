import Ashlar
import Synchronization

/// Counts the active requests, like iStructure's service for the activity indicator.
final class NetworkStateService: Service, WatchOwner {
    static let name = "net_state"
    let watches = WatchBag()
    private let counts = Mutex((now: 0, inAll: 0))

    init(_ context: ServiceContext) async throws {
        context.bus.watch(NetworkActivity.on, owner: self) { service, _ in
            service.counts.withLock { $0 = ($0.now + 1, $0.inAll + 1) }
        }
        context.bus.watch(NetworkActivity.off, owner: self) { service, _ in
            service.counts.withLock { $0.now -= 1 }
        }
    }

    var summary: String { counts.withLock { "\($0.inAll) requests, \($0.now) active" } }
}

/// The events of this app.
enum NoteEvents {
    static let selected = Topic<Int>("note:title:selected")
}

extension FieldNotes {
    /// Starts the service that counts requests, and shows its events.
    func startServices() async {
        screen.heading("Services")
        let watch = app.bus.watch("service:**") { [screen] signal in screen.row("event", signal.name) }
        do {
            try await app.services.register(NetworkStateService.self)
            try await app.services.start("net_state")
        } catch {
            report(error)
        }
        watch.cancel()
    }

    func stopServices() async {
        screen.heading("Services")
        if let service = await app.services.service(NetworkStateService.self) {
            screen.row("net_state", service.summary)
        }
        let watch = app.bus.watch("service:**") { [screen] signal in screen.row("event", signal.name) }
        do {
            try await app.services.stop("net_state")
        } catch {
            report(error)
        }
        watch.cancel()
    }

    /// Watches a pattern, a topic and an object, triggers, and unwatches.
    func showEvents() {
        screen.heading("Events")
        let list = NoteList()
        let everything = app.bus.watch("note:**") { [screen] signal in screen.row("any note event", signal.name) }
        let selected = app.bus.watch(NoteEvents.selected) { [screen] signal in
            screen.row("note selected", "\(signal.payload)")
        }
        let fromList = app.bus.watch("**", from: list) { [screen] _ in screen.row("from the list", "") }
        let first = app.bus.trigger(NoteEvents.selected, 5, from: list)
        screen.quiet("delivered to \(first.delivered) watchers")
        selected.cancel()
        fromList.cancel()
        let second = app.bus.trigger(NoteEvents.selected, 3, from: list)
        screen.quiet("delivered to \(second.delivered) watchers after unwatching two")
        everything.cancel()
        log.debug("events delivered", ["first": first.delivered, "second": second.delivered])
    }

    /// Registers a route that loads a note, and navigates to it.
    func navigate() async {
        screen.heading("Navigation")
        let (client, host) = (app.client, host)
        let terminal = TerminalNavigator(screen: screen)
        do {
            _ = try app.router.route("/notes/:id(int)", to: terminal) { navigation in
                let id = try navigation.parameters.value("id", as: Int.self)
                let note = try await client.send(GetNote(host: host, id: id))
                return "\(note.title): \(note.body)"
            }
            try await app.router.navigate(to: "/notes/5")
            log.info("navigated to /notes/5")
        } catch {
            report(error)
        }
        do {
            try await app.router.navigate(to: "/maps/5")
        } catch {
            screen.quiet("/maps/5: \(error)")
        }
    }
}

private final class NoteList: Sendable {}

/// A navigator that prints each place as a line of text.
private struct TerminalNavigator: Navigator {
    let screen: Screen

    func show(_ place: String, for navigation: Navigation) async throws {
        screen.text("\(navigation.url) -> \(place)")
    }
}
