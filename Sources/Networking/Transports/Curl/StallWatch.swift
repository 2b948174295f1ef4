#if os(Linux)
    import Dispatch
    internal import AshlarCore
    import struct Synchronization.Atomic

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Notices when the thread of a loop does not come back from a caller's code, and has another one take its place.
    ///
    /// One thread for the whole process. It looks once a millisecond while loops run callers' code, and sleeps otherwise.
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
            SystemThread.start { [self] in run() }
        }

        /// Watches a loop until it has been quiet for a while; `CurlLoop.isWatched` says that it is.
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
                for index in watched.indices.reversed() where !look(&watched[index]) { watched.remove(at: index) }
            }
        }

        /// Returns whether the loop is to be watched any longer.
        private func look(_ watched: inout Watched) -> Bool {
            let turn = watched.loop.turn.load(ordering: .sequentiallyConsistent)
            guard turn == watched.turn else {
                (watched.turn, watched.quiet) = (turn, 0)
                return true
            }
            watched.quiet += 1
            if CurlLoop.isInJob(turn) {
                // Seen twice, because the system may just have taken the processor away.
                if watched.quiet > 1 { watched.loop.replaceThread(stuckAt: turn) }
                return true
            }
            guard watched.quiet > 4 else { return true }
            watched.loop.isWatched.store(false, ordering: .sequentiallyConsistent)
            // A job that began just now has seen the loop still watched.
            let latest = watched.loop.turn.load(ordering: .sequentiallyConsistent)
            guard CurlLoop.isInJob(latest), !watched.loop.isWatched.exchange(true, ordering: .sequentiallyConsistent)
            else { return false }
            (watched.turn, watched.quiet) = (latest, 0)
            return true
        }
    }

    /// A detached thread of the system.
    enum SystemThread {
        private final class Body {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }

        /// Starts a thread; returns false if the system has none left.
        @discardableResult
        static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
            var thread = pthread_t()
            let body = Unmanaged.passRetained(Body(run))
            let failed = pthread_create(
                &thread, nil,
                { context in
                    Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            guard failed == 0 else {
                body.release()
                return false
            }
            pthread_detach(thread)
            return true
        }
    }
#endif
