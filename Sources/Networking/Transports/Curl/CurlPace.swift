#if os(Linux)
    /// What a loop has learnt of its network and its callers: whether to stay awake, and whose code to run itself.
    struct CurlPace {
        /// How long the thread asks for news before it sleeps, where news came that fast before.
        static let spinTime: UInt64 = 100_000
        private static let longJob: UInt64 = 100_000
        private static let restAfterLongJobs: UInt64 = 20_000_000
        private static let restAfterStall: UInt64 = 100_000_000

        private var spinCredit = 0
        private var heat = 0
        private var poolUntil: UInt64 = 0

        /// Whether to stay awake: few exchanges run, and the last waits were short.
        func spins(_ active: Int) -> Bool { spinCredit > 0 && (1...2).contains(active) }

        mutating func spunInVain() { spinCredit = -4 }

        mutating func slept(_ time: UInt64, _ active: Int) {
            guard active <= 2 else { return }
            spinCredit = time < Self.spinTime ? min(spinCredit + 1, 4) : max(spinCredit - 1, -4)
        }

        /// Whether callers' code goes on on the loop's thread.
        func runsJobs(at time: UInt64) -> Bool { time >= poolUntil }

        /// Notes how long some callers' code ran; where that is often long, they do better on threads of their own.
        mutating func ran(_ count: UInt64, from start: UInt64, to end: UInt64) {
            heat = (end - start) / count > Self.longJob ? heat + 4 : max(heat - 1, 0)
            guard heat > 8 else { return }
            heat = 0
            poolUntil = end + Self.restAfterLongJobs
        }

        /// Notes that a caller's code did not come back.
        mutating func stalled(at now: UInt64) { poolUntil = now + Self.restAfterStall }
    }
#endif
