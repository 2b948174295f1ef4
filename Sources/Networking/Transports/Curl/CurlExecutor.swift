#if os(Linux)
    internal import AshlarCore

    /// Runs tasks on the thread of a `CurlTransport`, so that a request needs no change of threads.
    final class CurlExecutor: TaskExecutor {
        private struct Place: Sendable {
            weak var loop: CurlLoop?
        }

        private let place = Mutex(Place())

        func attach(_ loop: CurlLoop) { place.withLock { $0.loop = loop } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            if let loop = place.withLock({ $0.loop }), loop.post(.run(job)) { return }
            // The transport has gone; its tasks end on the shared threads.
            Task.detached { [executor = asUnownedTaskExecutor()] in job.runSynchronously(on: executor) }
        }
    }
#endif
