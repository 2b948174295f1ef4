internal import CAshlarLogging
internal import Synchronization

/// Acquires all locks before a fork and releases them in both processes.
///
/// The child continues the run, with a field `pid` on each line. It never ends the run, removes no old runs and doesn't
/// write to mapped memory.
enum ForkHooks {
    /// The locks of the forking thread, used only by that thread.
    nonisolated(unsafe) private static var held: [any ForkLock] = []
    nonisolated(unsafe) private static var forked: [any ForkAware] = []
    private static let installed: Int32 = ashlar_log_at_fork({ prepare() }, { parent() }, { child() })

    static func install() -> Bool { installed == 0 }

    private static func prepare() {
        ForkCount.hasForked.store(true, ordering: .relaxed)
        let pipeline = LogPipeline.shared
        pipeline.control.lock.lock()
        let settings = pipeline.settings
        // The order in which other code acquires them, outer locks first.
        var locks: [any ForkLock] = [pipeline.table.forkLock] + settings.sinks.flatMap(\.forkLocks)
        locks += settings.store?.forkLocks ?? []
        locks += settings.noise.forkLocks + pipeline.innerLocks
        locks += [LogIndent.forkLock, SecretFields.forkLock, TypeNames.forkLock, Retention.forkLock]
        locks += [OTLPSpillFolder.forkLock, RunIdentity.forkLock]
        if pipeline.counters !== LogCounters.process { locks.append(LogCounters.process.lock) }
        for lock in locks { lock.lock() }
        held = [pipeline.control.lock] + locks
        forked = [settings.store].compactMap { $0 } + settings.sinks
    }

    private static func parent() {
        for lock in held.reversed() { lock.unlock() }
        (held, forked) = ([], [])
    }

    private static func child() {
        ThreadContext.current.becomeForkedChild()
        for object in forked { object.becomeForkedChild() }
        ashlar_log_set_state_descriptor(-1, 0)
        for lock in held.reversed() { lock.resetInForkedChild() }
        (held, forked) = ([], [])
        LogPipeline.shared.becomeForkedChild()
    }
}

/// The names of types as contexts.
enum TypeNames {
    private static let names = Guarded<[ObjectIdentifier: String]>([:])
    static var forkLock: ForkSafeLock { names.lock }

    /// - Complexity: O(1); the name of each type is created once.
    static func name(of type: Any.Type) -> String {
        let key = ObjectIdentifier(type)
        if let known = names.withLock({ $0[key] }) { return known }
        let name = String(describing: type)
        names.withLock { $0[key] = name }
        return name
    }
}
