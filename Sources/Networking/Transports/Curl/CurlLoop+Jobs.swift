#if os(Linux)
    internal import AshlarCore
    import struct Synchronization.Atomic

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Callers' code that resumes on the loop's thread.
    extension CurlLoop {
        func wakeReaders() {
            guard !news.isEmpty else { return }
            for exchange in news {
                exchange.isListed = false
                if let job = exchange.pipe.takeReader() { jobs.append(job) }
            }
            news.removeAll(keepingCapacity: true)
        }

        /// Resumes callers; returns false if that took so long that another thread drives the loop now.
        func runJobs() -> Bool {
            guard nextJob < jobs.count else { return true }
            let start = Self.clock()
            let runsHere = configuration.resumesOnNetworkThread && pace.resumesCallers(at: start)
            let count = UInt64(jobs.count - nextJob)
            while nextJob < jobs.count {
                let job = jobs[nextJob]
                nextJob += 1
                if !runsHere {
                    TransferPipe.schedule(job)
                } else if !runJob(job) {
                    return false
                }
            }
            if runsHere { pace.ran(count, from: start, to: Self.clock()) }
            jobs.removeAll(keepingCapacity: true)
            nextJob = 0
            return true
        }

        private func runJob(_ job: UnownedJob) -> Bool {
            let number = turn.load(ordering: .relaxed) &+ 3
            turn.store(number, ordering: .sequentiallyConsistent)
            if !isWatched.load(ordering: .sequentiallyConsistent) {
                isWatched.store(true, ordering: .sequentiallyConsistent)
                StallWatch.shared.watch(self)
            }
            job.runSynchronously(on: globalConcurrentExecutor.asUnownedTaskExecutor())
            return turn.compareExchange(expected: number, desired: number &- 1, ordering: .sequentiallyConsistent)
                .exchanged
        }

        static func isInJob(_ turn: UInt64) -> Bool { turn & 1 == 1 }

        /// Makes a new thread drive the loop, because a job blocks the old one; the old thread ends when the job
        /// returns.
        func replaceThread(stuckAt number: UInt64) {
            guard
                turn.compareExchange(expected: number, desired: number &+ 1, ordering: .sequentiallyConsistent)
                    .exchanged
            else { return }
            pace.stalled(at: Self.clock())
            while !HelperThread.start({ [self] in run() }) { usleep(1000) }
        }
    }
#endif
