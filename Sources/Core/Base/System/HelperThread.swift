internal import CAshlarCore

/// Detached threads for blocking work that must not occupy a thread of Swift's concurrency runtime.
package enum HelperThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; returns `false` if the system can't create one.
    ///
    /// The thread blocks all signals, so the app's signal handlers run on the app's own threads.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        let failure = ashlar_core_start_thread(work.toOpaque()) { pointer in
            if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
        }
        if failure != 0 { work.release() }
        return failure == 0
    }
}
