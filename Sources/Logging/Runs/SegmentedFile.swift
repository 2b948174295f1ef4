internal import AshlarBase
internal import CAshlarLogging

/// The log file of a run with its continuations; all lines are written here.
///
/// It is used under the lock of the store that owns it. A failed write never traps or blocks. The newest lines wait in
/// memory. When writing succeeds again, a line reports the lost lines, and the waiting lines follow.
final class SegmentedFile {
    let run: RunIdentity
    let settings: StoreSettings

    private(set) var descriptor: Int32 {
        didSet { if settings.servesSignals { ashlar_log_set_signal_file(descriptor, nil) } }
    }
    private var identity: FileIdentity?
    /// The number of the current segment, and its size.
    private var number: Int
    private var size: Int64 = 0
    private var ledger: SegmentLedger
    private var segmentStart = SystemCalls.monotonicClock()
    private var writesUntilCheck = SegmentedFile.checkInterval
    /// The file size beyond which a write raises a fatal signal, so segments end before it.
    private let fileSizeLimit = SystemCalls.fileSizeLimit
    private var trouble: Trouble?
    private var lostTotal = 0
    private var lostNoted = 0
    /// The process ID of a forked child that can't write to its parent's segment.
    private var childProcess: Int32?

    /// The number of writes between two checks whether the descriptor still refers to the run's file.
    static let checkInterval = 256
    static let backlogBytes = 64 * 1024
    static let linesBetweenAttempts = 256
    static let nanosecondsBetweenAttempts: Int64 = 1_000_000_000

    /// The state while writing fails.
    private final class Trouble {
        var error: Int32
        var backlog = RecentLines(capacity: SegmentedFile.backlogBytes)
        /// The number of lines that didn't fit into the backlog.
        var lost = 0
        /// Whether the file ends in the middle of a line.
        var isTorn: Bool
        var nextAttempt: Int64
        var linesUntilAttempt = SegmentedFile.linesBetweenAttempts

        init(error: Int32, isTorn: Bool) {
            self.error = error
            self.isTorn = isTorn
            nextAttempt = SystemCalls.monotonicClock() + SegmentedFile.nanosecondsBetweenAttempts
        }
    }

    private init(
        run: RunIdentity, number: Int, descriptor: Int32, ledger: SegmentLedger, settings: StoreSettings
    ) {
        self.run = run
        self.number = number
        self.descriptor = descriptor
        self.ledger = ledger
        self.settings = settings
        opened()
    }

    /// Creates the first segment of a run.
    static func create(run: RunIdentity, _ settings: StoreSettings) -> Result<SegmentedFile, RunStoreError> {
        let descriptor = SystemCalls.openForAppending(run.path(.segment(0)), exclusive: true)
        guard descriptor >= 0 else { return .failure(RunStoreError(error: -descriptor)) }
        let file = SegmentedFile(
            run: run, number: 0, descriptor: descriptor, ledger: SegmentLedger(), settings: settings)
        run.retain(firstSegment: descriptor)
        return .success(file)
    }

    /// Continues a run at a segment that may exist, or starts without a segment.
    ///
    /// If the segment can't be opened, lines wait in memory as on a full disk.
    convenience init(
        continuing run: RunIdentity, at number: Int?, after ledger: SegmentLedger, _ settings: StoreSettings
    ) {
        let descriptor = number.map { SystemCalls.openForAppending(run.path(.segment($0)), exclusive: false) }
        self.init(run: run, number: number ?? 0, descriptor: descriptor ?? -1, ledger: ledger, settings: settings)
        if let descriptor, descriptor < 0 { trouble = Trouble(error: -descriptor, isTorn: false) }
    }

    deinit {
        closeOwn()
        if settings.servesSignals { ashlar_log_set_signal_file(-1, nil) }
    }

    private func opened() {
        if settings.servesSignals { ashlar_log_set_signal_file(descriptor, nil) }
        SystemCalls.markInUse(descriptor)
        let status = FileStatus(descriptor: descriptor)
        identity = status?.identity
        size = status?.size ?? 0
    }

    // MARK: Writing

    /// Writes whole lines, each with its line end.
    func write(_ lines: LogText) {
        if writesUntilCheck <= 0 { checkFile() }
        writesUntilCheck -= 1
        if trouble != nil {
            retain(lines)
            attemptRecovery(force: false)
            return
        }
        // A batch can span two segments; a line can't.
        var rest = lines
        while rest.count > 0 {
            if mustRotate(for: rest) { rotate() }
            let room = max(0, segmentLimit - size)
            var end = rest.count
            if Int64(rest.count) > room {
                end =
                    (rest.prefix(Int(room)).lastIndex(of: .newline) ?? rest.firstIndex(of: .newline) ?? rest.count - 1)
                    + 1
            }
            let part = rest.prefix(end)
            rest = rest.dropFirst(end)
            let written = put(part)
            if written == part.count {
                size += Int64(written)
            } else {
                fail(written, part)
                if trouble != nil { return retain(rest) }
            }
        }
    }

    private var segmentLimit: Int64 {
        let rotation = settings.rotation
        return min(Int64(number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes), fileSizeLimit ?? .max)
    }

    private func put(_ bytes: LogText) -> Int {
        guard fileSizeLimit != nil else { return SystemCalls.write(descriptor, bytes) }
        return SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, bytes) }
    }

    /// Handles a write that didn't write everything.
    private func fail(_ written: Int, _ lines: LogText) {
        var done = max(0, written)
        var error = written < 0 ? Int32(-written) : 0
        if error == SystemCalls.badDescriptor, reopen() { error = 0 }
        // A short write has no error; the next one succeeds or fails with an error.
        while error == 0, done < lines.count {
            let more = put(lines.dropFirst(done))
            if more > 0 { done += more } else { error = more == 0 ? SystemCalls.inputOutput : Int32(-more) }
        }
        size += Int64(done)
        guard error != 0 else { return }
        settings.counters.withLock { $0.failedWrites += 1 }
        let whole = lines.prefix(done).lastIndex(of: .newline).map { $0 + 1 } ?? 0
        trouble = Trouble(error: error, isTorn: done > whole)
        retain(lines.dropFirst(whole))
        noteLost()
    }

    private func retain(_ lines: LogText) {
        guard let trouble, lines.count > 0 else { return }
        trouble.linesUntilAttempt -= 1
        let dropped = trouble.backlog.append(lines)
        guard dropped > 0 else { return }
        trouble.lost += dropped
        lostTotal += dropped
        settings.counters.withLock { $0.droppedByStorage += dropped }
    }

    /// Writes the backlog; with `sync`, waits for the disk.
    ///
    /// Returns whether everything has been written.
    func flush(sync: Bool) -> Bool {
        let isWritten = attemptRecovery(force: true)
        return sync ? SystemCalls.synchronize(descriptor) && isWritten : isWritten
    }

    /// Tries to write again: first the line that reports lost lines, then the backlog.
    @discardableResult
    private func attemptRecovery(force: Bool) -> Bool {
        guard let trouble else { return true }
        let now = SystemCalls.monotonicClock()
        guard force || trouble.linesUntilAttempt <= 0 || now >= trouble.nextAttempt else { return false }
        trouble.linesUntilAttempt = Self.linesBetweenAttempts
        trouble.nextAttempt = now + Self.nanosecondsBetweenAttempts
        if trouble.error == SystemCalls.noSpace { settings.makeRoom() }
        if trouble.error == SystemCalls.fileTooLarge { rotate() }
        let isRecovered = isOwnFile || reopen() ? writeBacklog(of: trouble) : false
        if isRecovered { self.trouble = nil }
        noteLost()
        return isRecovered
    }

    private func writeBacklog(of trouble: Trouble) -> Bool {
        var head: [UInt8] = trouble.isTorn ? [.newline] : []
        if trouble.lost > 0 { head += settings.notice(trouble.lost, SystemCalls.message(of: trouble.error)) }
        if !head.isEmpty {
            let written = LogText.withBytes(head) { put($0) }
            size += Int64(max(0, written))
            guard written == head.count else {
                if written > 0 { trouble.isTorn = true }
                return false
            }
            trouble.isTorn = false
            trouble.lost = 0
        }
        let lines = trouble.backlog.contents
        let written = lines.isEmpty ? 0 : LogText.withBytes(lines) { put($0) }
        if written > 0 {
            size += Int64(written)
            let whole = lines[..<written].lastIndex(of: .newline).map { $0 + 1 } ?? 0
            trouble.isTorn = written > whole
            trouble.backlog.drop(whole)
        }
        return trouble.backlog.count == 0
    }

    /// Records in the state file how many lines would be lost if the process ended now.
    private func noteLost() {
        let lost = lostTotal + (trouble?.backlog.lineCount ?? 0)
        guard lost != lostNoted else { return }
        lostNoted = lost
        run.noteLost(lost)
    }

    // MARK: Segments

    private func mustRotate(for lines: LogText) -> Bool {
        guard size > 0 else { return false }
        if settings.rotation.isDue(since: segmentStart) { return true }
        return size + Int64(lines.firstIndex(of: .newline).map { $0 + 1 } ?? lines.count) > segmentLimit
    }

    /// Continues in a new file, or in the current one if that fails.
    private func rotate() {
        guard childProcess == nil else { return }
        let next = SystemCalls.openForAppending(run.path(.segment(number + 1)), exclusive: true)
        segmentStart = SystemCalls.monotonicClock()
        guard next >= 0 else {
            settings.counters.withLock { $0.failedWrites += 1 }
            return
        }
        closeOwn()
        ledger.finish(number, size: size)
        descriptor = next
        number += 1
        opened()
        let removed = ledger.removeSurplus(of: run, settings.rotation)
        if removed > 0 { settings.counters.withLock { $0.removedSegments += removed } }
    }

    /// Returns the log: the segments and the lines that wait in memory.
    func contents(limit: Int?) -> [UInt8] {
        let all = run.contents(segments: ledger.numbers.filter { $0 != number } + [number], limit: limit) + backlog
        return limit.map { RunReader.wholeLines(all, limit: $0) } ?? all
    }

    /// The lines that wait in memory.
    var backlog: [UInt8] { trouble?.backlog.contents ?? [] }

    // MARK: The file itself

    /// Whether the descriptor still refers to the opened file, and the file has a name.
    private var isOwnFile: Bool {
        guard let status = FileStatus(descriptor: descriptor) else { return false }
        return status.identity == identity && status.links > 0
    }

    /// Makes the next write check the file first.
    func checkBeforeNextWrite() { writesUntilCheck = 0 }

    /// Detects that the file was deleted or truncated, or its descriptor closed and reused.
    private func checkFile() {
        writesUntilCheck = Self.checkInterval
        guard let status = FileStatus(descriptor: descriptor), status.identity == identity, status.links > 0 else {
            _ = reopen()
            return
        }
        size = status.size
    }

    /// Closes the descriptor, unless the app has reused its number.
    private func closeOwn() {
        if SystemCalls.isSame(descriptor, identity) { SystemCalls.close(descriptor) }
    }

    /// Opens the current segment by its name, and creates its folder if it is missing.
    private func reopen() -> Bool {
        closeOwn()
        try? FolderListing.create(run.folder, permissions: 0o700)
        let path = run.path(childProcess.map { .child(Int($0)) } ?? .segment(number))
        descriptor = SystemCalls.openForAppending(path, exclusive: false)
        opened()
        return descriptor >= 0
    }

    /// Drops the parent's backlog in a forked child, and opens a file for the child if it needs one.
    func becomeForkedChild(ownFile: Bool) {
        trouble = nil
        run.releaseDescriptors()
        guard ownFile else { return }
        childProcess = ProcessIdentity.current
        _ = reopen()
    }
}

/// The sizes of a run's segments, with which the run stays within its limit.
struct SegmentLedger {
    private var firstSize: Int64?
    private var middle: [(number: Int, size: Int64)] = []

    /// The numbers of the finished segments that still exist.
    var numbers: [Int] { (firstSize == nil ? [] : [0]) + middle.map(\.number) }

    /// Records the size of a finished segment.
    mutating func finish(_ number: Int, size: Int64) {
        middle.removeAll { $0.number == number }
        if number == 0 { firstSize = size } else { middle.append((number, size)) }
    }

    /// Removes the oldest segments except the first until the next one fits; returns their number.
    mutating func removeSurplus(of run: RunIdentity, _ rotation: LogRotation) -> Int {
        var total = (firstSize ?? 0) + middle.reduce(0) { $0 + $1.size } + Int64(rotation.segmentBytes)
        var removed = 0
        while total > Int64(rotation.runBytes), removed < middle.count {
            FileSystem.remove(run.path(.segment(middle[removed].number)))
            total -= middle[removed].size
            removed += 1
        }
        middle.removeFirst(removed)
        return removed
    }
}
