internal import CAshlarLogging

/// Threads for work that no caller should wait for.
enum BackgroundThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own; returns `false` if the system has none to give.
    ///
    /// The thread takes no signals: those of the process are the host's business.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        let failed = ashlar_log_start_thread(work.toOpaque()) { pointer in
            if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
        }
        if failed != 0 { work.release() }
        return failed == 0
    }
}
