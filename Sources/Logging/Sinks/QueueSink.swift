internal import AshlarBase
internal import CAshlarLogging

/// A sink that passes lines to another sink on its own thread, through a bounded queue.
final class QueueSink: LogSink, StandardErrorPrinter {
    private let queue: Queue
    /// The least severe level that the other sink receives.
    let threshold: LogLevel

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - sink: Gets the lines, in order, on one thread.
    ///   - bytes: About how much memory the waiting lines may take.
    init(_ sink: any LogSink, bytes: Int = 1 << 20) {
        let queue = Queue(sink, capacity: max(1024, bytes))
        self.queue = queue
        threshold = sink.threshold
        let hasThread = HelperThread.start { queue.serve() }
        queue.monitor.withLock { $0.hasThread = hasThread }
    }

    deinit { queue.close() }

    var printsToStandardError: Bool { queue.target.sink.isStandardErrorPrinter }

    /// The number of dropped lines by level.
    var dropped: [LogLevel: Int] { queue.monitor.withLock { $0.dropped } }

    /// Queues the line; a dropped line isn't a failure of the sink.
    func receive(_ record: LogRecord) -> Bool {
        queue.put(record)
        return true
    }

    /// Waits until the other sink has received all lines queued before, and flushes it.
    func flush(within limit: Duration) -> Bool {
        let end = SystemCalls.monotonicClock() + min(limit, .seconds(3600)).clampedNanoseconds
        let isDrained = queue.drain(until: end)
        return queue.target.sink.flush(within: .nanoseconds(max(0, end - SystemCalls.monotonicClock()))) && isDrained
    }
}

/// The state that the sink and its thread share; the thread doesn't retain the sink.
private final class Queue: Sendable {
    /// A waiting line, and the number of lines that were dropped before it.
    struct Entry {
        let record: LogRecord
        var lostBefore: Int
    }

    struct State {
        var waiting: BoundedQueue<Entry>
        var dropped: [LogLevel: Int] = [:]
        /// The number of lines dropped after the last waiting line, and since the last flush.
        var unreported = 0
        var lost = 0
        /// The number of lines that were queued or dropped, and of those that are delivered or reported.
        var accepted = 0
        var settled = 0
        /// The number of calls that waited in vain for room since the sink has taken lines.
        var vainWaits = 0
        var isClosed = false
        var hasThread = false
    }

    let monitor: Guarded<State>
    let target: SinkEntry

    init(_ sink: any LogSink, capacity: Int) {
        target = SinkEntry(sink)
        monitor = Guarded(State(waiting: BoundedQueue(capacity: capacity)))
    }

    func put(_ record: LogRecord) {
        let size = record.footprint
        monitor.lock.lock()
        guard monitor.held.hasThread else {
            monitor.lock.unlock()
            return deliver([Entry(record: record, lostBefore: 0)])
        }
        let hasRoom = waitForRoom(size)
        monitor.held.accepted += 1
        if hasRoom {
            if monitor.held.waiting.isEmpty { monitor.lock.wakeAll() }
            monitor.held.waiting.append(Entry(record: record, lostBefore: monitor.held.unreported), size: size)
            monitor.held.unreported = 0
        } else {
            monitor.held.dropped[record.level, default: 0] += 1
            LogCounters.process.withLock { $0.droppedByQueues += 1 }
            monitor.held.unreported += 1
            monitor.held.lost += 1
            monitor.lock.wakeAll()
        }
        monitor.lock.unlock()
    }

    /// The time that a call waits for room, in nanoseconds.
    private static let longestWait: Int64 = 10_000_000
    /// The number of waits in vain after which calls don't wait until the sink takes lines.
    private static let mostVainWaits = 10

    /// Waits until a line fits; the caller holds the lock.
    private func waitForRoom(_ size: Int) -> Bool {
        let end = SystemCalls.monotonicClock() + Self.longestWait
        while !monitor.held.waiting.hasRoom(for: size) {
            guard size <= monitor.held.waiting.capacity, monitor.held.vainWaits < Self.mostVainWaits else {
                return false
            }
            let rest = end - SystemCalls.monotonicClock()
            guard rest > 0 else {
                monitor.held.vainWaits += 1
                return false
            }
            monitor.lock.wait(nanoseconds: rest)
        }
        return true
    }

    /// Delivers lines on the queue's thread.
    func serve() {
        // Lines that the other sink logs go to the run file only, as without a queue.
        ashlar_log_current_thread().pointee.sinks += 1
        monitor.lock.lock()
        defer { monitor.lock.unlock() }
        while true {
            let unreported = monitor.held.unreported
            let batch = monitor.held.waiting.takeAll()
            guard !batch.isEmpty || unreported > 0 else {
                if monitor.held.isClosed { return }
                monitor.lock.wait()
                continue
            }
            // Lines lost after the last waiting line are reported when no line waits.
            let lost = batch.isEmpty ? unreported : 0
            monitor.held.unreported = unreported - lost
            monitor.held.vainWaits = 0
            monitor.lock.wakeAll()
            monitor.lock.unlock()
            report(lost)
            deliver(batch)
            monitor.lock.lock()
            monitor.held.settled += batch.reduce(lost) { $0 + $1.lostBefore + 1 }
            monitor.lock.wakeAll()
        }
    }

    private func deliver(_ batch: [Entry]) {
        for entry in batch {
            report(entry.lostBefore)
            target.deliver(entry.record, line: nil, counters: LogCounters.process)
        }
    }

    private func report(_ lost: Int) {
        guard lost > 0 else { return }
        // The level is within the other sink's threshold.
        let notice = LogRecord.notice("\(lost) lines lost (queue full)", level: min(.warning, target.threshold))
        target.deliver(notice, line: nil, counters: LogCounters.process)
    }

    /// Waits until all lines of this moment are delivered; returns `false` at a point in time, or if lines were lost since
    /// the last flush.
    func drain(until end: Int64) -> Bool {
        monitor.lock.lock()
        defer { monitor.lock.unlock() }
        let target = monitor.held.accepted
        while monitor.held.settled < target, monitor.held.hasThread {
            let rest = end - SystemCalls.monotonicClock()
            guard rest > 0 else { return false }
            monitor.lock.wait(nanoseconds: rest)
        }
        defer { monitor.held.lost = 0 }
        return monitor.held.lost == 0
    }

    func close() {
        monitor.withLock {
            $0.isClosed = true
            monitor.lock.wakeAll()
        }
    }
}
