#if os(Linux)
    internal import AshlarCore
    import Dispatch
    import struct Synchronization.Atomic

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Detects when a caller's code blocks the thread of a loop, and makes another thread drive the loop.
    ///
    /// One thread serves the whole process. It checks once per millisecond while loops resume callers, and sleeps
    /// otherwise. Loops resume callers only at high rates, so a client with few requests never wakes it. `CurlPace`
    /// documents the gain of resuming callers on the loop's thread, which is the reason for this type.
    final class StallWatch: Sendable {
        static let shared = StallWatch()

        private struct Watched {
            let loop: CurlLoop
            var turn: UInt64
            var quiet = 0
        }

        private let arrivals = Mutex<[CurlLoop]>([])
        private let bell = DispatchSemaphore(value: 0)

        private init() {
            _ = HelperThread.start { [self] in run() }
        }

        /// Watches a loop until it is quiet; `CurlLoop.isWatched` is true until then.
        func watch(_ loop: CurlLoop) {
            arrivals.withLock { $0.append(loop) }
            bell.signal()
        }

        private func run() {
            var watched: [Watched] = []
            while true {
                if watched.isEmpty { bell.wait() }
                arrivals.withLock { arrivals in
                    for loop in arrivals { watched.append(Watched(loop: loop, turn: 0)) }
                    arrivals.removeAll(keepingCapacity: true)
                }
                usleep(1000)
                watched = watched.compactMap(check)
            }
        }

        /// Returns the loop's new state, or nil if it doesn't need watching.
        private func check(_ watched: Watched) -> Watched? {
            let loop = watched.loop
            let turn = loop.turn.load(ordering: .sequentiallyConsistent)
            guard turn == watched.turn else { return Watched(loop: loop, turn: turn) }
            let next = Watched(loop: loop, turn: turn, quiet: watched.quiet + 1)
            if CurlLoop.isInJob(turn) {
                // Require two observations, because the system may have preempted the thread.
                if next.quiet > 1 { loop.replaceThread(stuckAt: turn) }
                return next
            }
            guard next.quiet > 1 else { return next }
            loop.isWatched.store(false, ordering: .sequentiallyConsistent)
            // A job that started just now found the loop still watched.
            let latest = loop.turn.load(ordering: .sequentiallyConsistent)
            guard CurlLoop.isInJob(latest), !loop.isWatched.exchange(true, ordering: .sequentiallyConsistent)
            else { return nil }
            return Watched(loop: loop, turn: latest)
        }
    }
#endif
