internal import CAshlarLogging
internal import Synchronization

/// Acquires all locks before a fork and releases them in both processes.
///
/// The child continues the run, with a field `pid` on each line. It never ends the run, removes no old runs and doesn't
/// write to mapped memory.
enum ForkHooks {
    /// The locks of the forking thread, used only by that thread.
    nonisolated(unsafe) private static var held: [ForkSafeLock] = []
    nonisolated(unsafe) private static var forked: [any ForkAware] = []
    private static let installed: Int32 = ashlar_log_at_fork({ prepare() }, { parent() }, { child() })

    static func install() -> Bool { installed == 0 }

    private static func prepare() {
        ForkCount.hasForked.store(true, ordering: .relaxed)
        let pipeline = LogPipeline.shared
        pipeline.control.lock.lock()
        let settings = pipeline.settings
        // The order in which other code acquires them, outer locks first.
        var locks: [ForkSafeLock] = [pipeline.table.forkLock] + settings.sinks.flatMap(\.forkLocks)
        locks += settings.store?.forkLocks ?? []
        locks += settings.noise.forkLocks + pipeline.innerLocks
        locks += [LogIndent.forkLock, SecretFields.forkLock, Retention.forkLock]
        locks += [RunIdentity.forkLock, LogCounters.process.lock]
        // Several sinks can share a lock.
        held = [pipeline.control.lock]
        for lock in locks where !held.contains(where: { $0 === lock }) {
            lock.lock()
            held.append(lock)
        }
        forked = [settings.store].compactMap { $0 } + settings.sinks
    }

    private static func parent() {
        for lock in held.reversed() { lock.unlock() }
        held = []
        forked = []
    }

    private static func child() {
        ThreadContext.current.becomeForkedChild()
        for object in forked { object.becomeForkedChild() }
        ashlar_log_set_state_descriptor(-1, 0)
        for lock in held.reversed() { lock.resetInForkedChild() }
        held = []
        forked = []
        LogPipeline.shared.becomeForkedChild()
    }
}
