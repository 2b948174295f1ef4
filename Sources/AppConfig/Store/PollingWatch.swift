import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// File watching where there are no events: a thread that compares the files' signatures on a timer.
final class PollingWatch: Sendable {
    private let files: [String]
    private let interval: Duration
    private let onChange: @Sendable ([FileSignature?]) -> Void
    private let isCancelled = Atomic<Bool>(false)

    init(_ files: [String], every interval: Duration, _ onChange: @escaping @Sendable ([FileSignature?]) -> Void) {
        self.files = files
        self.interval = interval
        self.onChange = onChange
    }

    /// Starts the thread, which holds the watch until it is cancelled.
    func start() {
        // Taken here, so that a change right after the start is seen.
        let signatures = files.map { FileSignature($0) }
        PollingThread.start { self.run(signatures) }
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private func run(_ first: [FileSignature?]) {
        var signatures = first
        var isWaiting = false
        let microseconds = max(1, interval / .microseconds(1))
        while !isCancelled.load(ordering: .relaxed) {
            // In short naps, so that a cancelled watch ends soon.
            var rest = microseconds
            while rest > 0, !isCancelled.load(ordering: .relaxed) {
                let nap = min(rest, 250_000)
                usleep(UInt32(nap))
                rest -= nap
            }
            if isCancelled.load(ordering: .relaxed) { return }
            let new = files.map { FileSignature($0) }
            if new == signatures { continue }
            // A file that has vanished may be about to be written anew: it has until the next look.
            let hasVanished = zip(signatures, new).contains { $0 != nil && $1 == nil }
            isWaiting = hasVanished && !isWaiting
            if isWaiting { continue }
            signatures = new
            onChange(new)
        }
    }
}

/// Starts a thread of the system's own kind, without Foundation.
enum PollingThread {
    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Box(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            let isStarted =
                pthread_create(
                    &thread, nil,
                    { box in
                        Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body()
                        return nil
                    }, box) == 0
            if let thread { pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let isStarted =
                pthread_create(
                    &thread, nil,
                    { box in
                        if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
                        return nil
                    }, box) == 0
            if isStarted { pthread_detach(thread) }
        #endif
        if !isStarted { Unmanaged<Box>.fromOpaque(box).release() }
    }
}
