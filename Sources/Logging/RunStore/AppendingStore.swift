import Synchronization

/// The mode `.writeThrough`: a line is written when the call returns, and concurrent threads share a write.
///
/// A thread that finds the file free writes its line. Otherwise it queues the line, and the next thread with the lock
/// writes the whole queue with one write (group commit). While threads compete, the writer waits briefly for as many
/// lines as the last batch had, because a write takes much longer than formatting another line.
final class AppendingStore: LineStore {
    private struct Writer {
        let file: SegmentedFile
        var batch = ByteBuffer(capacity: 1024)
    }

    private let writer: Guarded<Writer>
    private let queue = Guarded(ByteBuffer(capacity: 1024))
    /// The number of lines ever queued, changed under the lock of `queue`.
    private let queued = Atomic<UInt64>(0)
    /// The number of queued lines that have been written, changed under the lock of `writer`.
    private let done = Atomic<UInt64>(0)
    /// The number of lines in the last batch, changed under the lock of `writer`.
    private let meeting = Atomic<Int>(1)
    private let synchronizesAt: LogLevel?

    /// How often a thread checks before it blocks.
    private static let checksBeforeBlocking = 400
    /// How often a writer checks for more lines before it writes.
    private static let checksForOthers = 20

    init(file: SegmentedFile) {
        writer = Guarded(Writer(file: file))
        synchronizesAt = file.settings.synchronizesAt
    }

    deinit {
        writer.withLock { $0.batch.deallocate() }
        queue.withLock { $0.deallocate() }
    }

    func append(_ line: LogText, level: LogLevel) {
        if meeting.load(ordering: .relaxed) != 1 || writer.withLockIfFree({ $0.file.write(line) }) == nil {
            appendQueued(line)
        }
        if let synchronizesAt, level <= synchronizesAt { _ = flush(sync: true) }
    }

    @inline(never)
    private func appendQueued(_ line: LogText) {
        let ticket = queue.withLock {
            $0.append(line)
            return queued.wrappingAdd(1, ordering: .releasing).newValue
        }
        whenQueued.withLock { $0 }?()
        var checks = 0
        while done.load(ordering: .acquiring) < ticket {
            checks += 1
            if checks > Self.checksBeforeBlocking {
                writer.withLock { write(ticket, &$0) }
            } else if writer.withLockIfFree({ write(ticket, &$0) }) == nil {
                SystemCalls.pause()
            }
        }
    }

    /// Writes the queue, unless the previous owner of the lock has written the line.
    private func write(_ ticket: UInt64, _ writer: inout Writer) {
        if done.load(ordering: .relaxed) < ticket { writeTogether(&writer) }
    }

    /// Writes the queue after a short time in which other threads can add their lines.
    private func writeTogether(_ writer: inout Writer) {
        let before = done.load(ordering: .relaxed)
        let expected = UInt64(max(2, meeting.load(ordering: .relaxed)))
        var checks = 0
        while queued.load(ordering: .relaxed) &- before < expected, checks < Self.checksForOthers {
            checks += 1
            SystemCalls.pause()
        }
        writeQueue(&writer)
        meeting.store(Int(truncatingIfNeeded: done.load(ordering: .relaxed) &- before), ordering: .relaxed)
    }

    private func writeQueue(_ writer: inout Writer) {
        guard done.load(ordering: .relaxed) != queued.load(ordering: .acquiring) else { return }
        let last = queue.withLock {
            swap(&$0, &writer.batch)
            return queued.load(ordering: .relaxed)
        }
        if writer.batch.count > 0 { writer.file.write(writer.batch.text) }
        writer.batch.reset()
        writer.batch.shrink()
        done.store(last, ordering: .releasing)
    }

    /// A closure that is called after a line is queued, without a lock.
    ///
    /// For tests.
    let whenQueued = Guarded<(@Sendable () -> Void)?>(nil)

    /// The number of queued lines that haven't been written.
    var waitingLines: Int {
        Int(truncatingIfNeeded: queued.load(ordering: .acquiring) &- done.load(ordering: .acquiring))
    }

    /// Runs `body` with the file, under the lock.
    func withFile<Result>(_ body: (SegmentedFile) -> Result) -> Result { writer.withLock { body($0.file) } }

    func flush(sync: Bool) -> Bool {
        writer.withLock {
            writeQueue(&$0)
            return $0.file.flush(sync: sync)
        }
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        _ = flush(sync: false)
        withFile { $0.run.end(ending, lines: lines) }
    }

    func contents(limit: Int?) -> [UInt8] {
        writer.withLock {
            writeQueue(&$0)
            return $0.file.contents(limit: limit)
        }
    }

    func noteSignals() -> Bool {
        withFile { $0.run.noteSignals() }
        return true
    }

    var forkLocks: [any ForkLock] { [writer.lock, queue.lock] }

    func becomeForkedChild() {
        // The lines of the other threads belong to the parent.
        queue.held.reset()
        done.store(queued.load(ordering: .relaxed), ordering: .relaxed)
        writer.held.file.becomeForkedChild(ownFile: false)
    }
}
