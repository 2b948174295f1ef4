internal import CAshlarLogging
internal import Synchronization

/// Holds all locks during a fork.
///
/// The child continues the run, with a field `pid` on each line. It never ends the run, removes no old runs and doesn't
/// write to mapped memory.
enum ForkHooks {
    private static let installed: Int32 = ashlar_log_at_fork(
        {
            ForkRegistry.hasForked.store(true, ordering: .relaxed)
            ForkRegistry.prepare()
        }, { ForkRegistry.continueParent() }, { child() })

    static func install() -> Bool { installed == 0 }

    private static func child() {
        ThreadContext.current.becomeForkedChild()
        // The state file belongs to the parent.
        ashlar_log_set_state_file(nil, -1, 0, 0)
        ForkRegistry.continueChild()
        LogPipeline.shared.becomeForkedChild()
    }
}
