internal import AshlarCore
#if os(Linux)
    import CAshlarCurl
    import struct Synchronization.Atomic

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread that serves all exchanges of a transport: libcurl's multi interface over epoll.
    ///
    /// Other threads only post commands; everything else belongs to the loop's thread. Readers are woken at the end of a
    /// round, when all that has arrived for them is in their pipes. As long as callers' code is quick, it goes on right on
    /// the loop's thread, which saves a change of threads; should it not come back soon, another thread takes the loop
    /// over (see `StallWatch`) and readers are woken on the shared threads for a while.
    final class CurlLoop: @unchecked Sendable {
        // Sendable because `inbox` is locked and everything mutable behind it is touched only by the one thread that
        // drives the loop; `turn` hands it on from one thread to the next.
        enum Command {
            case start(CurlExchange)
            case cancel(CurlExchange)
            case resumeReceiving(CurlExchange)
            case resumeSending(CurlExchange)
            case run(UnownedJob)
            case stop
        }

        private struct Inbox {
            var commands: [Command] = []
            var sleeping = false
            var closed = false
        }

        /// A task that goes on; `isOwn` says that it asked for this thread.
        private struct Job {
            let job: UnownedJob
            let isOwn: Bool
        }

        let library: CurlLibrary
        let configuration: TransportConfiguration
        private let inbox = Mutex(Inbox())
        let poller: ashlar_poller
        let multi: UnsafeMutableRawPointer

        /// Counts the jobs, times two: it is odd while one runs, and whoever makes it even again drives the loop.
        let turn = Atomic<UInt64>(0)
        /// Whether the stall watch looks after this loop.
        let isWatched = Atomic<Bool>(false)

        // What follows belongs to the thread that drives the loop.
        var active: [CurlExchange] = []
        var pool: [CurlHandle] = []
        var origins = CurlOrigins()
        var sockets = CurlSockets()
        var timerDue: UInt64?
        var deadlineDue: UInt64?
        private var news: [CurlExchange] = []
        private var commands: [Command] = []
        private var jobs: [Job] = []
        private var nextJob = 0
        private var stopping = false
        private var pace = CurlPace()
        /// The time of this round, in nanoseconds of the monotonic clock.
        private(set) var now: UInt64 = 0

        init(_ library: CurlLibrary, _ configuration: TransportConfiguration) throws(NetworkError) {
            self.library = library
            self.configuration = configuration
            executor = CurlExecutor()
            ownExecutor = executor.asUnownedTaskExecutor()
            var poller = ashlar_poller()
            let opened = ashlar_poller_open(&poller) == 0
            guard opened, let multi = library.table.pointee.multi_init() else {
                if opened { ashlar_poller_close(&poller) }
                throw NetworkError(.unsupported, "no descriptors are left for the transport's loop", phase: .prepare)
            }
            self.poller = poller
            self.multi = multi
            configureMulti()
            executor.attach(self)
            guard SystemThread.start({ [self] in run() }) else {
                _ = library.table.pointee.multi_cleanup(multi)
                ashlar_poller_close(&poller)
                throw NetworkError(.unsupported, "the system has no thread left for a transport", phase: .prepare)
            }
        }

        // MARK: Any thread

        @discardableResult
        func post(_ command: Command) -> Bool {
            let (accepted, wakes) = inbox.withLock { inbox in
                guard !inbox.closed else { return (false, false) }
                inbox.commands.append(command)
                defer { inbox.sleeping = false }
                return (true, inbox.sleeping)
            }
            if wakes { withUnsafePointer(to: poller) { ashlar_poller_wake($0) } }
            if !accepted, case .start(let exchange) = command {
                exchange.pipe.finish(NetworkError(.cancelled, "the transport is closed", phase: .prepare))
                exchange.pipe.flush()
            }
            return accepted
        }

        /// Ends the thread once the running exchanges are over.
        func stopWhenIdle() { post(.stop) }

        /// Runs the jobs of tasks on the loop's thread.
        let executor: CurlExecutor
        let ownExecutor: UnownedTaskExecutor
        private let sharedExecutor = globalConcurrentExecutor.asUnownedTaskExecutor()

        // MARK: The thread

        private func run() {
            ashlar_block_sigpipe()  // TLS libraries write without MSG_NOSIGNAL
            let ready = UnsafeMutableBufferPointer<ashlar_ready>.allocate(capacity: 64)
            defer { ready.deallocate() }
            // A thread that takes over finds jobs that the one before could not get to.
            guard runJobs() else { return }
            while true {
                let count = wait(for: ready)
                now = Self.clock()
                for event in ready[..<count] where !isStray(event.descriptor) {
                    var running: Int32 = 0
                    _ = library.table.pointee.multi_socket_action(multi, event.descriptor, event.mask, &running)
                }
                // What jobs post is done before the next look at the sockets, but not for ever.
                for _ in 0..<16 {
                    takeCommands()
                    runCommands()
                    runTimers()
                    collectFinished()
                    startWaiting()
                    wakeReaders()
                    guard runJobs() else { return }
                    guard hasWork() else { break }
                    now = Self.clock()
                }
                if stopping, active.isEmpty, origins.waiting == 0, close() { return }
            }
        }

        private func takeCommands() {
            inbox.withLock { inbox in
                inbox.sleeping = false
                swap(&inbox.commands, &commands)
            }
        }

        private func hasWork() -> Bool {
            if let timerDue, timerDue <= now { return true }
            return inbox.withLock { !$0.commands.isEmpty }
        }

        /// Waits for sockets, commands and timers: for a short while by asking again and again, then asleep.
        private func wait(for ready: UnsafeMutableBufferPointer<ashlar_ready>) -> Int {
            var poller = poller
            if pace.spins(active.count) {
                let end = Self.clock() + CurlPace.spinTime
                repeat {
                    let count = ashlar_poller_wait(&poller, ready.baseAddress, Int32(ready.count), 0)
                    if count > 0 { return Int(count) }
                    if hasWork() { return 0 }
                } while Self.clock() < end
                pace.spunInVain()
            }
            let isBusy = inbox.withLock { inbox in
                inbox.sleeping = inbox.commands.isEmpty
                return !inbox.sleeping
            }
            if isBusy { return Int(ashlar_poller_wait(&poller, ready.baseAddress, Int32(ready.count), 0)) }
            let start = Self.clock()
            var timeout: Int32 = -1
            let due = min(timerDue ?? .max, deadlineDue ?? .max)
            if due < .max {
                timeout = due <= start ? 0 : Int32(clamping: (due - start + 999_999) / 1_000_000)
            }
            let count = ashlar_poller_wait(&poller, ready.baseAddress, Int32(ready.count), timeout)
            if count > 0 { pace.slept(Self.clock() - start, active.count) }
            return Int(count)
        }

        private func runCommands() {
            for command in commands {
                switch command {
                case .start(let exchange): admit(exchange)
                case .cancel(let exchange): finish(exchange, result: nil)
                case .resumeReceiving(let exchange): exchange.resumeReceiving()
                case .resumeSending(let exchange): exchange.resumeSending()
                case .run(let job): jobs.append(Job(job: job, isOwn: true))
                case .stop: stopping = true
                }
            }
            commands.removeAll(keepingCapacity: true)
        }

        private func runTimers() {
            // A callback may ask to be called again at once; more than a few rounds would starve the sockets.
            for _ in 0..<8 {
                guard let due = timerDue, due <= now else { break }
                timerDue = nil
                var running: Int32 = 0
                _ = library.table.pointee.multi_socket_action(multi, CurlValue.socketTimeout, 0, &running)
            }
            guard let due = deadlineDue, due <= now else { return }
            deadlineDue = nil
            checkDeadlines()
        }

        /// Notes that an exchange has something for its reader.
        func hasNews(_ exchange: CurlExchange) {
            guard !exchange.isListed else { return }
            exchange.isListed = true
            news.append(exchange)
        }

        // MARK: Callers' code

        private func wakeReaders() {
            guard !news.isEmpty else { return }
            for exchange in news {
                exchange.isListed = false
                if let job = exchange.pipe.takeReader() { jobs.append(Job(job: job, isOwn: exchange.readerIsOwn)) }
            }
            news.removeAll(keepingCapacity: true)
        }

        /// Lets tasks go on; returns false if that took so long that another thread drives the loop now.
        private func runJobs() -> Bool {
            guard nextJob < jobs.count else { return true }
            let start = Self.clock()
            let runsHere = pace.runsJobs(at: start)
            var count: UInt64 = 0
            while nextJob < jobs.count {
                let next = jobs[nextJob]
                nextJob += 1
                guard next.isOwn || runsHere else {
                    TransferPipe.schedule(next.job)
                    continue
                }
                guard runJob(next) else { return false }
                if !next.isOwn { count += 1 }
            }
            if count > 0 { pace.ran(count, from: start, to: Self.clock()) }
            jobs.removeAll(keepingCapacity: true)
            nextJob = 0
            return true
        }

        private func runJob(_ next: Job) -> Bool {
            let number = turn.load(ordering: .relaxed) &+ 3
            turn.store(number, ordering: .sequentiallyConsistent)
            if !isWatched.load(ordering: .sequentiallyConsistent) {
                isWatched.store(true, ordering: .sequentiallyConsistent)
                StallWatch.shared.watch(self)
            }
            next.job.runSynchronously(on: next.isOwn ? ownExecutor : sharedExecutor)
            return turn.compareExchange(expected: number, desired: number &- 1, ordering: .sequentiallyConsistent)
                .exchanged
        }

        static func isInJob(_ turn: UInt64) -> Bool { turn & 1 == 1 }

        /// Has a new thread drive the loop, because the old one is stuck in a job; that one ends when it comes back.
        func replaceThread(stuckAt number: UInt64) {
            guard
                turn.compareExchange(expected: number, desired: number &+ 1, ordering: .sequentiallyConsistent)
                    .exchanged
            else { return }
            pace.stalled(at: Self.clock())
            while !SystemThread.start({ [self] in run() }) { usleep(1000) }
        }

        /// Frees everything unless a new exchange has been posted; then the thread ends.
        private func close() -> Bool {
            let closed = inbox.withLock { inbox in
                inbox.closed = inbox.commands.isEmpty
                return inbox.closed
            }
            guard closed else { return false }
            for handle in pool { handle.destroy() }
            pool = []
            _ = library.table.pointee.multi_cleanup(multi)
            withUnsafePointer(to: poller) { ashlar_poller_close($0) }
            return true
        }

        static func clock() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }
#endif
