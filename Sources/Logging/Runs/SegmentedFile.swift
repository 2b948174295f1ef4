internal import AshlarBase
internal import CAshlarLogging

/// The log file of a run with its continuations; all lines are written here.
///
/// It is used under the lock of the store that owns it. A failed write never traps or blocks. The newest lines wait in
/// memory. When writing succeeds again, a line reports the lost lines, and the waiting lines follow.
final class SegmentedFile {
    let run: RunIdentity
    let settings: StoreSettings

    /// The current segment and its number.
    private var file: AppendedFile
    private var number: Int
    private var ledger: SegmentLedger
    private var segmentStart = SystemCalls.monotonicClock()
    private var writesUntilCheck = SegmentedFile.checkInterval
    /// The lines that couldn't be written.
    private var waiting: WaitingLines?
    private var lostTotal = 0
    private var lostNoted = 0

    /// The number of writes between two checks whether the descriptor still refers to the run's file.
    static let checkInterval = 256

    private init(run: RunIdentity, number: Int, file: AppendedFile, ledger: SegmentLedger, settings: StoreSettings) {
        self.run = run
        self.number = number
        self.file = file
        self.ledger = ledger
        self.settings = settings
    }

    /// Creates the first segment of a run.
    static func create(run: RunIdentity, _ settings: StoreSettings) throws(FileFailure) -> SegmentedFile {
        let first = AppendedFile(run.path(.segment(0)), exclusive: true)
        guard first.descriptor >= 0 else { throw FileFailure(run.folder, .system(-first.descriptor)) }
        run.retain(firstSegment: first.descriptor)
        let segments = SegmentedFile(
            run: run, number: 0, file: first, ledger: SegmentLedger(), settings: settings)
        if settings.servesSignals { segments.receiveSignals() }
        return segments
    }

    /// Continues a run at a segment that may exist.
    ///
    /// If the segment can't be opened, lines wait in memory as on a full disk. Lines of signal handlers go to the file if
    /// they went to its predecessor.
    convenience init(
        continuing run: RunIdentity, at number: Int, after ledger: SegmentLedger, _ settings: StoreSettings,
        predecessor: UnsafeRawPointer
    ) {
        let file = AppendedFile(run.path(.segment(number)), exclusive: false)
        self.init(run: run, number: number, file: file, ledger: ledger, settings: settings)
        if ashlar_log_owns_signal_file(predecessor) == 1 { receiveSignals() }
        if file.descriptor < 0 { beginWaiting(error: -file.descriptor, isTorn: false) }
    }

    deinit {
        file.close()
        ashlar_log_release_signal_file(owner)
    }

    /// Identifies the file for signal handlers.
    private var owner: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    private func receiveSignals() { ashlar_log_set_signal_file(owner, file.descriptor, nil) }

    private func updateSignals() {
        if ashlar_log_owns_signal_file(owner) == 1 { receiveSignals() }
    }

    // MARK: Writing

    /// Writes a whole line with its line end, which can be several lines of a message.
    func write(_ line: ArraySlice<UInt8>) {
        if writesUntilCheck <= 0 { checkFile() }
        writesUntilCheck -= 1
        if waiting != nil {
            let isDue = waiting?.mustRetry(before: line) == true
            guard isDue, attemptRecovery() else { return retain(line) }
        }
        if mustRotate(for: line) { rotate() }
        let written = file.append(line)
        if written != line.count {
            fail(written, line)
        }
    }

    private var segmentLimit: Int64 {
        let rotation = settings.rotation
        return min(Int64(number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes), file.sizeLimit ?? .max)
    }

    /// Handles a write that didn't write everything.
    private func fail(_ written: Int, _ lines: ArraySlice<UInt8>) {
        var done = max(0, written)
        var error = written < 0 ? Int32(-written) : 0
        if error == SystemCalls.badDescriptor, reopen() { error = 0 }
        // A short write has no error; the next one succeeds or fails with an error.
        while error == 0, done < lines.count {
            let more = file.append(lines.dropFirst(done))
            if more > 0 { done += more } else { error = more == 0 ? SystemCalls.inputOutput : Int32(-more) }
        }
        guard error != 0 else { return }
        settings.counters.withLock { $0.failedWrites += 1 }
        let whole = lines.prefix(done).lastIndex(of: .newline).map { $0 + 1 - lines.startIndex } ?? 0
        beginWaiting(error: error, isTorn: done > whole)
        retain(lines.dropFirst(whole))
        noteLost()
    }

    private func beginWaiting(error: Int32, isTorn: Bool) {
        waiting = WaitingLines(error: error, isTorn: isTorn, capacity: settings.backlogBytes)
    }

    private func retain(_ lines: ArraySlice<UInt8>) {
        guard !lines.isEmpty, let dropped = waiting?.append(lines), dropped > 0 else { return }
        lostTotal += dropped
        settings.counters.withLock { $0.droppedByStorage += dropped }
    }

    /// Writes the waiting lines; with `sync`, waits for the disk.
    ///
    /// Returns whether everything has been written.
    func flush(sync: Bool) -> Bool {
        let isWritten = attemptRecovery()
        return sync ? SystemCalls.synchronize(file.descriptor) && isWritten : isWritten
    }

    /// Tries to write the waiting lines; returns whether no line waits.
    private func attemptRecovery() -> Bool {
        guard let error = waiting?.error else { return true }
        waiting?.noteAttempt()
        if error == SystemCalls.noSpace { settings.makeRoom() }
        if error == SystemCalls.fileTooLarge { rotate() }
        let notice = settings.notice
        let isRecovered =
            (file.status != nil || reopen())
            && waiting?.write({ notice($0, SystemCalls.message(of: $1)) }, with: { file.append($0) }) == true
        if isRecovered { waiting = nil }
        noteLost()
        return isRecovered
    }

    /// Records in the state file how many lines would be lost if the process ended now.
    private func noteLost() {
        let lost = lostTotal + (waiting?.count ?? 0)
        guard lost != lostNoted else { return }
        lostNoted = lost
        run.noteLost(lost)
    }

    // MARK: Segments

    private func mustRotate(for line: ArraySlice<UInt8>) -> Bool {
        guard file.size > 0 else { return false }
        if settings.rotation.isDue(since: segmentStart) { return true }
        return file.size + Int64(line.count) > segmentLimit
    }

    /// Continues in a new file, or in the current one if that fails.
    private func rotate() {
        let next = AppendedFile(run.path(.segment(number + 1)), exclusive: true)
        segmentStart = SystemCalls.monotonicClock()
        guard next.descriptor >= 0 else {
            settings.counters.withLock { $0.failedWrites += 1 }
            return
        }
        file.close()
        ledger.finish(number, size: file.size)
        file = next
        number += 1
        updateSignals()
        let removed = ledger.removeSurplus(of: run, settings.rotation)
        if removed > 0 { settings.counters.withLock { $0.removedSegments += removed } }
    }

    /// Returns the log: the segments and the lines that wait in memory.
    func contents(limit: Int?) -> [UInt8] {
        let numbers = ledger.numbers.filter { $0 != number } + [number]
        return RunReader.wholeLines(run.contents(segments: numbers, limit: limit) + backlog, limit: limit)
    }

    /// The lines that wait in memory.
    var backlog: [UInt8] { waiting?.contents ?? [] }
    /// The descriptor of the current segment.
    var descriptor: Int32 { file.descriptor }

    // MARK: The file itself

    /// Detects that the file was deleted or truncated, or its descriptor closed and reused.
    private func checkFile() {
        writesUntilCheck = Self.checkInterval
        if let size = file.status?.size { file.size = size } else { _ = reopen() }
    }

    /// Opens the current segment by its name, and creates its folder if it is missing.
    private func reopen() -> Bool {
        file.close()
        try? FolderListing.create(run.folder, permissions: 0o700)
        file = AppendedFile(run.path(.segment(number)), exclusive: false)
        updateSignals()
        return file.descriptor >= 0
    }
}
