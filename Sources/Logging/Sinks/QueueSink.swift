/// A sink that hands lines to another one on a thread of its own, through a queue of bounded size.
///
/// For sinks that are slow or may block. What does not fit is dealt with as ``Overflow`` says, counted by level, and
/// told to the other sink where they are missing: `12 lines lost (queue full)`.
///
/// ```swift
/// let slow = ClosureSink { _ in true }
/// let sink = QueueSink(slow, bytes: 1 << 20, overflow: .dropOldest)
/// ```
public final class QueueSink: LogSink {
    /// What happens when the queue is full.
    public enum Overflow: Hashable, Sendable {
        /// The call waits for room at most that long, then its line is dropped.
        case block(atMost: Duration)
        /// The new line is dropped.
        case dropNewest
        /// The oldest lines are dropped.
        case dropOldest
    }

    private let queue: Queue
    private let overflow: Overflow
    /// The least severe level that the other sink wants.
    public let threshold: LogLevel

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - sink: Gets the lines, in order, on one thread.
    ///   - bytes: About how much memory the waiting lines may take.
    ///   - overflow: What happens when the queue is full.
    public init(_ sink: any LogSink, bytes: Int = 1 << 20, overflow: Overflow = .dropNewest) {
        queue = Queue(sink, capacity: max(1024, bytes))
        self.overflow = overflow
        threshold = sink.threshold
        let queue = queue
        queue.hasThread = BackgroundThread.start { queue.serve() }
    }

    deinit { queue.close() }

    /// How many lines were dropped, by level.
    public var dropped: [LogLevel: Int] { queue.lock.withLock { queue.dropped } }

    /// Puts the line into the queue; a line that is dropped is no failure of the sink.
    public func receive(_ record: borrowing LogRecord) -> Bool {
        queue.put(record.copy(), overflow)
        return true
    }

    /// Waits until the other sink has got all lines, at most five seconds, and flushes it.
    public func flush() {
        queue.drain(atMost: 5_000_000_000)
        queue.slot.sink.flush()
    }
}

extension QueueSink: ForkAware {
    /// Those of the other sink too: the thread that may hold one is not in the child.
    var forkLocks: [any ForkLock] { [queue.lock, queue.slot.lock] + (inner?.forkLocks ?? []) }

    private var inner: (any ForkAware)? { queue.slot.sink as? any ForkAware }

    func becomeForkedChild() {
        inner?.becomeForkedChild()
        // What waits is the parent's to deliver; without the thread, lines are delivered by the caller.
        queue.waiting = []
        (queue.bytes, queue.untold) = (0, 0)
        queue.isServing = false
        queue.hasThread = false
    }
}

/// What the sink and its thread share, so that the thread does not keep the sink alive.
private final class Queue: @unchecked Sendable {  // all that changes is used under `lock`
    /// A line that waits, and how many were dropped between it and the one before.
    struct Entry {
        let copy: LogRecord.Copy
        var lostBefore: Int
    }

    let lock = WaitingLock()
    let slot: SinkSlot
    let capacity: Int
    var waiting: [Entry] = []
    var bytes = 0
    var dropped: [LogLevel: Int] = [:]
    /// Lines dropped behind the last one that waits.
    var untold = 0
    var isServing = false
    var isClosed = false
    var hasThread = false

    init(_ sink: any LogSink, capacity: Int) { (slot, self.capacity) = (SinkSlot(sink), capacity) }

    func put(_ copy: LogRecord.Copy, _ overflow: QueueSink.Overflow) {
        lock.lock()
        guard hasThread else {
            lock.unlock()
            deliver([Entry(copy: copy, lostBefore: 0)])
            return
        }
        if bytes + copy.footprint > capacity { makeRoom(for: copy, overflow) }
        if bytes + copy.footprint <= capacity {
            if waiting.isEmpty { lock.wakeAll() }
            waiting.append(Entry(copy: copy, lostBefore: untold))
            untold = 0
            bytes += copy.footprint
        } else {
            count(copy)
            untold += 1
        }
        lock.unlock()
    }

    private func makeRoom(for copy: LogRecord.Copy, _ overflow: QueueSink.Overflow) {
        switch overflow {
        case .dropNewest: return
        case .dropOldest:
            var (surplus, lost) = (0, 0)
            while surplus < waiting.count, bytes + copy.footprint > capacity {
                let oldest = waiting[surplus]
                bytes -= oldest.copy.footprint
                count(oldest.copy)
                lost += oldest.lostBefore + 1
                surplus += 1
            }
            waiting.removeFirst(surplus)
            if waiting.isEmpty { untold += lost } else { waiting[0].lostBefore += lost }
        case .block(let longest):
            let end = SystemCalls.monotonicClock() + min(longest, .seconds(3600)).clampedNanoseconds
            while bytes + copy.footprint > capacity, !isClosed {
                let rest = end - SystemCalls.monotonicClock()
                guard rest > 0 else { return }
                lock.wait(nanoseconds: rest)
            }
        }
    }

    private func count(_ copy: LogRecord.Copy) {
        dropped[copy.level, default: 0] += 1
        LogPipeline.shared.counters.withLock { $0.droppedByQueues += 1 }
    }

    /// The work of the thread.
    func serve() {
        // What the other sink logs goes to the run file only, as for a sink that is called directly.
        ThreadContext.current.state.pointee.sinkNesting += 1
        lock.lock()
        while true {
            guard !waiting.isEmpty || untold > 0 else {
                if isClosed { break }
                lock.wait()
                continue
            }
            let batch = waiting
            // Told at once if nothing came behind the lost lines.
            let lost = waiting.isEmpty ? untold : 0
            (waiting, bytes, untold, isServing) = ([], 0, untold - lost, true)
            lock.wakeAll()
            lock.unlock()
            tell(lost)
            deliver(batch)
            lock.lock()
            isServing = false
            lock.wakeAll()
        }
        lock.unlock()
    }

    private func deliver(_ batch: [Entry]) {
        for entry in batch {
            tell(entry.lostBefore)
            entry.copy.withRecord { slot.deliver($0, counters: LogPipeline.shared.counters) }
        }
    }

    private func tell(_ lost: Int) {
        guard lost > 0 else { return }
        // As severe as the other sink wants its lines, so that it is not held back as a mere warning.
        LogRecord.Copy.notice("\(lost) lines lost (queue full)", level: min(.warning, slot.threshold)).withRecord {
            slot.deliver($0, counters: LogPipeline.shared.counters)
        }
    }

    func drain(atMost nanoseconds: Int64) {
        let end = SystemCalls.monotonicClock() + nanoseconds
        lock.lock()
        while !waiting.isEmpty || untold > 0 || isServing, hasThread {
            let rest = end - SystemCalls.monotonicClock()
            guard rest > 0 else { break }
            lock.wait(nanoseconds: rest)
        }
        lock.unlock()
    }

    func close() {
        lock.withLock {
            isClosed = true
            lock.wakeAll()
        }
    }
}
