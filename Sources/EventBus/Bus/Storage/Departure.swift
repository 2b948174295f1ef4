internal import AshlarCore

/// The moment at which the last trigger lets go of a cancelled watcher.
final class Departure: Sendable {
    private let state = Mutex((isOver: false, waiting: [CheckedContinuation<Void, Never>]()))

    func isOver() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}

extension WatchHost {
    /// Cancels a watch and waits until no trigger holds it any more.
    func cancelAndWait(_ id: UInt64) async {
        let departure = watcher(id)?.makeDeparture()
        _ = cancel(id)
        guard let departure, !DrainedWatch.current.contains(DrainedWatch(bus: bus, id: id)) else { return }
        await departure.wait()
    }
}

/// A watch whose handler the current task is inside.
struct DrainedWatch: Hashable {
    @TaskLocal static var current: Set<DrainedWatch> = []

    private let bus: ObjectIdentifier?
    private let id: UInt64

    init(bus: EventBus?, id: UInt64) { (self.bus, self.id) = (bus.map { ObjectIdentifier($0) }, id) }
}
