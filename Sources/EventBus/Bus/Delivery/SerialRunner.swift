internal import AshlarCore

/// Runs work serially, from any threads.
///
/// Work that arrives while other work runs is queued; the running thread does it.
final class SerialRunner: Sendable {
    private let state = Mutex(State())

    private struct State {
        var line = Fifo<@Sendable () -> Void>()
        var isRunning = false
    }

    /// Runs the work now, or queues it for the thread that is running; returns whether it has run.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isMine = state.withLock { state in
            if state.isRunning {
                state.line.append(work)
                return false
            }
            state.isRunning = true
            return true
        }
        guard isMine else { return false }
        work()
        while let work = next() { work() }
        return true
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let work = state.line.popFirst()
            if work == nil { state.isRunning = false }
            return work
        }
    }
}

/// The triggers that a thread has left for after the one that it is inside, on one bus.
///
/// Unchecked because it is used by the thread that made it, and by no other.
final class NestingFrame: @unchecked Sendable {
    let bus: ObjectIdentifier
    let outer: NestingFrame?
    var line = Fifo<() -> Void>()

    init(bus: EventBus, outer: NestingFrame?) { (self.bus, self.outer) = (ObjectIdentifier(bus), outer) }

    /// The frame of a bus that the thread is inside, if it is.
    static func current(of bus: EventBus) -> NestingFrame? {
        var frame = BusThread.current.frame
        while let candidate = frame, candidate.bus != ObjectIdentifier(bus) { frame = candidate.outer }
        return frame
    }
}
