#if os(Linux)
    internal import AshlarCore
    import Dispatch
    import struct Synchronization.Atomic

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Notices when a caller's code blocks the thread of a loop, and has another thread take over.
    ///
    /// One thread serves the whole process. It checks once per millisecond while loops resume callers, and sleeps otherwise.
    /// Loops resume callers only at high rates, so a paced client never wakes it. `CurlPace` names the gain of resuming
    /// callers on the loop's thread, without which this type would not be needed.
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

        /// Returns the loop's new state, or nil if it is not watched any longer.
        private func check(_ watched: Watched) -> Watched? {
            let loop = watched.loop
            let turn = loop.turn.load(ordering: .sequentiallyConsistent)
            guard turn == watched.turn else { return Watched(loop: loop, turn: turn) }
            let next = Watched(loop: loop, turn: turn, quiet: watched.quiet + 1)
            if CurlLoop.isInJob(turn) {
                // Seen twice, because the system may just have taken the processor away.
                if next.quiet > 1 { loop.replaceThread(stuckAt: turn) }
                return next
            }
            guard next.quiet > 1 else { return next }
            loop.isWatched.store(false, ordering: .sequentiallyConsistent)
            // A job that started just now has seen the loop still watched.
            let latest = loop.turn.load(ordering: .sequentiallyConsistent)
            guard CurlLoop.isInJob(latest), !loop.isWatched.exchange(true, ordering: .sequentiallyConsistent)
            else { return nil }
            return Watched(loop: loop, turn: latest)
        }
    }
#endif
