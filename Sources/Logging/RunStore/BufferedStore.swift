/// Mode `.buffered`: lines wait in memory until there are enough of them or they are old enough.
///
/// A killed process loses at most the stated bytes, and at most the lines of the stated time.
final class BufferedStore: LineStore {
    /// What the store and its writing thread share, so that the thread does not keep the store alive.
    private final class Shared: @unchecked Sendable {  // all fields are used under `lock`
        let lock = WaitingLock()
        let file: SegmentedFile
        let buffer = ByteBuffer(capacity: 1024)
        var isClosed = false
        var hasThread = false
        /// Called by the writing thread when it has written because time had passed.
        var whenWritten: (@Sendable () -> Void)?

        init(file: SegmentedFile) { self.file = file }

        deinit { buffer.deallocate() }

        /// Under `lock`.
        func writeOut() {
            guard buffer.count > 0 else { return }
            file.lookBeforeWriting()
            file.write(buffer.bytes)
            buffer.reset()
        }
    }

    private let shared: Shared
    private let capacity: Int
    private let nanoseconds: Int64
    private let synchronizesAt: LogLevel?

    init(file: SegmentedFile, bytes: Int, milliseconds: Int, synchronizesAt: LogLevel?) {
        shared = Shared(file: file)
        capacity = max(0, bytes)
        nanoseconds = Duration.milliseconds(max(1, milliseconds)).clampedNanoseconds
        self.synchronizesAt = synchronizesAt
        let (shared, nanoseconds) = (shared, nanoseconds)
        shared.hasThread = BackgroundThread.start {
            shared.lock.lock()
            while !shared.isClosed {
                if shared.buffer.count == 0 {
                    shared.lock.wait()
                } else {
                    let oldest = SystemCalls.monotonicClock()
                    while !shared.isClosed, SystemCalls.monotonicClock() - oldest < nanoseconds {
                        shared.lock.wait(nanoseconds: nanoseconds - (SystemCalls.monotonicClock() - oldest))
                    }
                    shared.writeOut()
                    shared.whenWritten?()
                }
            }
            shared.lock.unlock()
        }
    }

    /// Has a function called, under the lock, when lines were written because they were old enough.
    func whenWritten(_ call: @escaping @Sendable () -> Void) {
        shared.lock.withLock { shared.whenWritten = call }
    }

    deinit {
        shared.lock.withLock {
            shared.writeOut()
            shared.isClosed = true
            shared.lock.wakeAll()
        }
    }

    func append(_ line: UnsafeRawBufferPointer, level: LogLevel) {
        shared.lock.withLock {
            if shared.buffer.count + line.count > capacity { shared.writeOut() }
            if line.count > capacity || !shared.hasThread || shared.isClosed {
                shared.file.write(line)
                return
            }
            if shared.buffer.count == 0 { shared.lock.wakeAll() }
            shared.buffer.append(line.baseAddress!.assumingMemoryBound(to: UInt8.self), line.count)
            if level <= .critical { shared.writeOut() }
        }
        if let synchronizesAt, level <= synchronizesAt { _ = flush(sync: true) }
    }

    func flush(sync: Bool) -> Bool {
        shared.lock.withLock {
            shared.writeOut()
            let written = shared.file.attemptRecovery(force: true)
            return sync ? shared.file.synchronize() && written : written
        }
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        _ = flush(sync: false)
        shared.lock.withLock {
            // Lines that come late are written at once: nothing flushes them any more.
            shared.isClosed = true
            shared.lock.wakeAll()
            shared.file.run.end(ending, lines: lines)
        }
    }

    func contents(limit: Int?) -> [UInt8] {
        shared.lock.withLock {
            shared.writeOut()
            return shared.file.contents(limit: limit)
        }
    }

    var forkLocks: [any ForkLock] { [shared.lock] }

    func becomeForkedChild() {
        // The buffered lines are the parent's to write, and the writing thread is not here.
        shared.buffer.reset()
        shared.hasThread = false
        shared.file.becomeForkedChild(ownFile: false)
    }
}
