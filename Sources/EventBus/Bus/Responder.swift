internal import AshlarCore

/// The place of the one responder of a request topic.
final class Responder: Sendable {
    /// The source line of the responder.
    let location: EventLocation
    private let watch = Mutex<Watch?>(nil)

    init(_ location: EventLocation) { self.location = location }

    /// Takes the watch that answers the requests.
    func begin(_ new: Watch) { watch.withLock { $0 = new } }

    /// Whether requests are answered.
    var isAnswering: Bool { watch.withLock { $0 }?.isLive ?? false }

    /// Whether the place is taken, also by a responder whose watch is about to be made.
    var isTaken: Bool { watch.withLock { $0 }?.isLive ?? true }
}
