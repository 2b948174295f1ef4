internal import CAshlarLogging

/// Something with locks that a fork has to hold, so that a child does not find one held by a thread it does not have.
protocol ForkAware {
    var forkLocks: [any ForkLock] { get }
    /// Called in the child while the locks are held.
    func becomeForkedChild()
}

/// What happens around `fork`: all locks are taken before, and released on both sides.
///
/// The child goes on logging into the same run, each line with a field `pid`. It never marks the run as ended, removes
/// no old runs and touches no mapping.
enum ForkHooks {
    /// The locks that the forking thread holds; used by that thread only, while it holds them.
    nonisolated(unsafe) private static var held: [any ForkLock] = []
    nonisolated(unsafe) private static var forked: [any ForkAware] = []
    nonisolated(unsafe) private static var store: (any LineStore)?
    private static let installed: Int32 = ashlar_log_at_fork({ prepare() }, { parent() }, { child() })

    static func install() -> Bool { installed == 0 }

    private static func prepare() {
        let pipeline = LogPipeline.shared
        pipeline.control.lock.lock()
        let settings = pipeline.settings
        let slots = settings.sinks
        let sinks = slots.compactMap { $0.sink as? any ForkAware }
        // In the order in which they are taken elsewhere: outer ones first.
        var locks: [any ForkLock] = pipeline.table.forkLocks + slots.map(\.lock)
        locks += sinks.flatMap(\.forkLocks)
        locks += settings.store?.forkLocks ?? []
        locks += pipeline.innerLocks
        locks += [LogIndent.forkLock, LogCore.forkLock, Retention.forkLock]
        for lock in locks { lock.lock() }
        held = [pipeline.control.lock] + locks
        (forked, store) = (sinks, settings.store)
    }

    private static func parent() { release() }

    private static func child() {
        ThreadContext.current.becomeForkedChild()
        store?.becomeForkedChild()
        for sink in forked { sink.becomeForkedChild() }
        ashlar_log_set_state_descriptor(-1, 0)
        release()
        LogPipeline.shared.becomeForkedChild()
    }

    private static func release() {
        let locks = held
        (held, forked, store) = ([], [], nil)
        for lock in locks.reversed() { lock.unlock() }
    }
}
