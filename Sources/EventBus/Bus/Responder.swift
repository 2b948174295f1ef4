internal import AshlarCore

/// The one responder of a request topic.
final class Responder: Sendable {
    /// The source line of the responder.
    let location: EventLocation
    private let watch = Mutex<Watch?>(nil)

    init(_ location: EventLocation) { self.location = location }

    /// Stores the watch that answers the requests.
    func begin(_ new: Watch) { watch.withLock { $0 = new } }

    /// Whether requests are answered.
    var isAnswering: Bool { watch.withLock { $0 }?.isLive ?? false }

    /// Whether the topic has this responder; true also before `begin`.
    var isTaken: Bool { watch.withLock { $0 }?.isLive ?? true }
}
