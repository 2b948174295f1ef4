internal import AshlarBase

/// The modes `.writeThrough` and `.buffered`: lines in a file.
///
/// In write-through mode, a line is written with one write(2) when the call returns. Buffered lines are in memory until
/// there are many lines or a line is old enough; a killed process loses at most the stated bytes and the lines of the
/// stated time.
final class FileStore: LineStore {
    private struct State {
        let file: SegmentedFile
        private let owner = MessageBuffer()
        /// The waiting lines: a handle to the owner's memory, so that a line counts no references.
        let buffer: ByteBuffer
        var isClosed = false
        var hasThread = false

        init(file: SegmentedFile) {
            self.file = file
            buffer = owner.buffer
        }

        func writeOut() {
            guard buffer.count > 0 else { return }
            file.checkBeforeNextWrite()
            file.write(buffer.text)
            buffer.reset()
        }
    }

    /// The state that the store and the writing thread share; the thread doesn't retain the store.
    private let monitor: Guarded<State>
    private let settings: StoreSettings
    /// The number of bytes that wait; 0 in write-through mode.
    private let capacity: Int

    init(file: SegmentedFile, mode: LogStorageMode) {
        let monitor = Guarded(State(file: file))
        self.monitor = monitor
        settings = file.settings
        if case .buffered(let bytes, let milliseconds) = mode {
            capacity = max(0, bytes)
            let age = Duration.milliseconds(max(1, milliseconds)).clampedNanoseconds
            let hasThread = HelperThread.start { Self.writeOldLines(of: monitor, age: age) }
            monitor.withLock { $0.hasThread = hasThread }
        } else {
            capacity = 0
        }
    }

    private static func writeOldLines(of monitor: Guarded<State>, age: Int64) {
        monitor.lock.lock()
        while !monitor.held.isClosed {
            guard monitor.held.buffer.count > 0 else {
                monitor.lock.wait()
                continue
            }
            let end = SystemCalls.monotonicClock().addingReportingOverflow(age)
            while !monitor.held.isClosed, end.overflow || SystemCalls.monotonicClock() < end.partialValue {
                monitor.lock.wait(nanoseconds: end.overflow ? age : end.partialValue - SystemCalls.monotonicClock())
            }
            monitor.held.writeOut()
        }
        monitor.held.hasThread = false
        monitor.lock.unlock()
    }

    deinit {
        monitor.withLock {
            $0.writeOut()
            $0.isClosed = true
            monitor.lock.wakeAll()
        }
    }

    func append(_ line: LogText, level: LogLevel) {
        monitor.withLock {
            if $0.buffer.count + line.count > capacity { $0.writeOut() }
            if line.count > capacity || !$0.hasThread || $0.isClosed {
                $0.file.write(line)
                return
            }
            if $0.buffer.count == 0 { monitor.lock.wakeAll() }
            $0.buffer.append(line)
            if level <= .critical { $0.writeOut() }
        }
        if settings.synchronizes(level) { _ = flush(sync: true) }
    }

    func flush(sync: Bool) -> Bool {
        monitor.withLock {
            $0.writeOut()
            return $0.file.flush(sync: sync)
        }
    }

    func close(ending: RunState.Ending, lines: UInt64) {
        _ = flush(sync: false)
        monitor.withLock {
            // Later lines are written at once, because nothing would flush them.
            $0.isClosed = true
            monitor.lock.wakeAll()
            $0.file.run.end(ending, lines: lines)
        }
    }

    func contents(limit: Int?) -> [UInt8] {
        monitor.withLock {
            $0.writeOut()
            return $0.file.contents(limit: limit)
        }
    }

    /// Runs `body` with the file, under the lock.
    func withFile<Result>(_ body: (SegmentedFile) -> Result) -> Result { monitor.withLock { body($0.file) } }

    func withRun(_ body: (RunIdentity) -> Void) { withFile { body($0.run) } }
}
