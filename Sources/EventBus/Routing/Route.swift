internal import AshlarCore

/// A registered route: a pattern, what happens there, and where in the source that was said.
///
/// It is its own watch: cancelling that removes the route from its router.
final class Route: WatchHost, @unchecked Sendable {
    // Unchecked: all is immutable but the action, which has its lock.
    enum Action: Sendable {
        case run(@Sendable (Navigation) async throws -> Void)
        case redirect(@Sendable (Navigation) throws(EventBusError) -> String)
    }

    let pattern: RoutePattern
    private let current: Mutex<Action?>
    private let fileID: StaticString
    private let line: UInt32
    private let column: UInt32
    weak let router: Router?

    init(
        _ pattern: RoutePattern, _ action: Action, router: Router, _ fileID: StaticString, _ line: UInt32,
        _ column: UInt32
    ) {
        (self.pattern, self.router, self.fileID, self.line) = (pattern, router, fileID, line)
        self.column = column
        current = Mutex(action)
        super.init(watched: pattern.source, bus: nil)
    }

    var watch: Watch { Watch(host: self, id: 0) }
    var location: EventLocation { EventLocation(fileID, line, column) }

    /// What happens at the route; nil once it was removed.
    var action: Action? { current.withLock { $0 } }

    /// Lets go of the action, and with it of what the action holds.
    func end() {
        let action = current.withLock { action in
            defer { action = nil }
            return action
        }
        _ = consume action
    }

    override func cancel(_ id: UInt64) -> Bool { router?.remove(self) ?? false }

    override func isLive(_ id: UInt64) -> Bool { router != nil && action != nil }
}
