#if os(Linux)
    import Dispatch
    import Synchronization

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
                watched += arrivals.withLock { arrivals in
                    defer { arrivals = [] }
                    return arrivals.map { Watched(loop: $0, turn: 0) }
                }
                usleep(1000)
                watched = watched.compactMap(look)
            }
        }

        /// Returns what to remember, or nil for a loop that needs no watching any more.
        private func look(_ watched: Watched) -> Watched? {
            var watched = watched
            let turn = watched.loop.turn.load(ordering: .sequentiallyConsistent)
            guard turn == watched.turn else { return Watched(loop: watched.loop, turn: turn) }
            watched.quiet += 1
            if CurlLoop.isInJob(turn) {
                // Seen twice, because the system may just have taken the processor away.
                if watched.quiet > 1 { watched.loop.replaceThread(stuckAt: turn) }
                return watched
            }
            guard watched.quiet > 4 else { return watched }
            watched.loop.isWatched.store(false, ordering: .sequentiallyConsistent)
            // A job that began just now has seen the loop still watched.
            let latest = watched.loop.turn.load(ordering: .sequentiallyConsistent)
            guard CurlLoop.isInJob(latest), !watched.loop.isWatched.exchange(true, ordering: .sequentiallyConsistent)
            else { return nil }
            return Watched(loop: watched.loop, turn: latest)
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
