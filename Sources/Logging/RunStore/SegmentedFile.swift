internal import CAshlarLogging

/// The log file of a run with its continuations: the one place where lines are written.
///
/// Used under the lock of the store that owns it. A failed write never traps and never blocks: the newest lines wait
/// in memory, and are written when it works again, behind a line that says how many were lost.
final class SegmentedFile {
    let run: RunIdentity
    let rotation: LogRotation
    let counters: Guarded<LogCounters>
    /// Prints the line that tells of lost lines.
    private let notice: @Sendable (_ lost: Int, _ reason: String) -> [UInt8]
    /// Makes room on a full disk by removing an old run.
    private let makeRoom: @Sendable () -> Void

    private(set) var descriptor: Int32 {
        didSet { if servesSignals { ashlar_log_set_signal_descriptor(descriptor) } }
    }
    /// Whether lines of signal handlers go to this file.
    var servesSignals = false {
        didSet { ashlar_log_set_signal_descriptor(servesSignals ? descriptor : -1) }
    }
    private var identity: SystemCalls.FileIdentity?
    /// The number of the segment being written, and its size.
    private(set) var number = 0
    private var size: Int64 = 0
    /// How much the usual way may still write; 0 while anything is unusual.
    private var carefreeBytes = 0
    /// Sizes of the segments that are kept besides the first and the present one.
    private var middle: [(number: Int, size: Int64)] = []
    private var firstSize: Int64 = 0
    private var segmentStart: Int64
    private var writesUntilCheck = SegmentedFile.checkInterval
    /// A write beyond this size would end the process, so segments stay below it.
    private let fileSizeLimit = SystemCalls.fileSizeLimit
    private var trouble: Trouble?
    private var lostTotal = 0
    private var lostNoted = 0
    /// A forked child writes its own file where it cannot share the parent's.
    private var childProcess: Int32?

    /// How many writes pass between two looks at whether the descriptor still is our file.
    static let checkInterval = 256
    static let backlogBytes = 64 * 1024
    static let linesBetweenAttempts = 256
    static let nanosecondsBetweenAttempts: Int64 = 1_000_000_000

    /// What is known while writing fails.
    ///
    /// A class, so that the usual path does not carry it.
    private final class Trouble {
        var error: Int32
        var backlog = LineRing(capacity: SegmentedFile.backlogBytes)
        /// Lines that did not fit into the backlog.
        var lost = 0
        /// Whether the file ends in the middle of a line.
        var isTorn: Bool
        var nextAttempt: Int64
        var linesUntilAttempt = SegmentedFile.linesBetweenAttempts

        init(error: Int32, isTorn: Bool) {
            (self.error, self.isTorn) = (error, isTorn)
            nextAttempt = SystemCalls.monotonicClock() + SegmentedFile.nanosecondsBetweenAttempts
        }
    }

    private init(
        run: RunIdentity, number: Int, descriptor: Int32, rotation: LogRotation, counters: Guarded<LogCounters>,
        notice: @escaping @Sendable (Int, String) -> [UInt8], makeRoom: @escaping @Sendable () -> Void
    ) {
        (self.run, self.number, self.descriptor) = (run, number, descriptor)
        (self.rotation, self.counters) = (rotation, counters)
        (self.notice, self.makeRoom) = (notice, makeRoom)
        identity = SystemCalls.status(descriptor)?.identity
        segmentStart = SystemCalls.monotonicClock()
        countCarefreeBytes()
    }

    deinit {
        closeOurs()
        if servesSignals { ashlar_log_set_signal_descriptor(-1) }
    }

    /// Begins a run with its first segment.
    static func create(
        run: RunIdentity, rotation: LogRotation, counters: Guarded<LogCounters>,
        notice: @escaping @Sendable (Int, String) -> [UInt8], makeRoom: @escaping @Sendable () -> Void
    ) -> Result<SegmentedFile, RunStoreError> {
        let descriptor = SystemCalls.openForAppending(run.path(.segment(0)), exclusive: true)
        guard descriptor >= 0 else { return .failure(RunStoreError(error: -descriptor)) }
        return .success(
            SegmentedFile(
                run: run, number: 0, descriptor: descriptor, rotation: rotation, counters: counters, notice: notice,
                makeRoom: makeRoom))
    }

    /// Goes on with a run at a segment that may exist; if it cannot be opened, lines wait in memory as on a full disk.
    static func `continue`(
        run: RunIdentity, number: Int, rotation: LogRotation, counters: Guarded<LogCounters>,
        notice: @escaping @Sendable (Int, String) -> [UInt8], makeRoom: @escaping @Sendable () -> Void
    ) -> SegmentedFile {
        let descriptor = SystemCalls.openForAppending(run.path(.segment(number)), exclusive: false)
        let file = SegmentedFile(
            run: run, number: number, descriptor: descriptor, rotation: rotation, counters: counters, notice: notice,
            makeRoom: makeRoom)
        file.size = SystemCalls.status(descriptor)?.size ?? 0
        if descriptor < 0 { file.trouble = Trouble(error: -descriptor, isTorn: false) }
        file.countCarefreeBytes()
        return file
    }

    // MARK: Writing

    /// Writes whole lines, each with its line end.
    @inline(__always)
    func write(_ lines: UnsafeRawBufferPointer) {
        guard lines.count <= carefreeBytes, writesUntilCheck > 0, let start = lines.baseAddress else {
            writeCarefully(lines)
            return
        }
        writesUntilCheck &-= 1
        let written = SystemCalls.append(descriptor, start, lines.count, size: size)
        if written == lines.count {
            size &+= Int64(written)
            carefreeBytes &-= written
        } else {
            fail(written, lines)
        }
    }

    /// Notes how much may be written without a look at anything but the result.
    private func countCarefreeBytes() {
        let isCarefree = trouble == nil && rotation.interval == nil && fileSizeLimit == nil
        carefreeBytes = isCarefree ? Int(max(0, segmentLimit - size)) : 0
    }

    private var segmentLimit: Int64 {
        min(Int64(number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes), fileSizeLimit ?? .max)
    }

    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard fileSizeLimit != nil else {
            return SystemCalls.append(descriptor, bytes.baseAddress!, bytes.count, size: size)
        }
        return SystemCalls.withoutWriteSignals { SystemCalls.write(descriptor, bytes.baseAddress!, bytes.count) }
    }

    @inline(never)
    private func writeCarefully(_ lines: UnsafeRawBufferPointer) {
        defer { countCarefreeBytes() }
        if writesUntilCheck <= 0 { checkFile() }
        writesUntilCheck -= 1
        if trouble != nil {
            keep(lines)
            attemptRecovery(force: false)
            return
        }
        // Lines that were batched may cross the end of a segment, but none is divided.
        var rest = lines[...]
        while !rest.isEmpty {
            if mustRotate(for: rest) { rotate() }
            let room = max(0, segmentLimit - size)
            var end = rest.endIndex
            if Int64(rest.count) > room {
                let fitting = rest.prefix(Int(room)).lastIndex(of: 10) ?? rest.firstIndex(of: 10) ?? rest.endIndex - 1
                end = fitting + 1
            }
            let part = UnsafeRawBufferPointer(rebasing: rest[..<end])
            rest = rest[end...]
            let written = put(part)
            if written == part.count {
                size += Int64(written)
            } else {
                fail(written, part)
                if trouble != nil {
                    if !rest.isEmpty { keep(UnsafeRawBufferPointer(rebasing: rest)) }
                    return
                }
            }
        }
    }

    /// Deals with a write that did not take everything.
    @inline(never)
    private func fail(_ written: Int, _ lines: UnsafeRawBufferPointer) {
        defer { countCarefreeBytes() }
        var done = max(0, written)
        var error = written < 0 ? Int32(-written) : 0
        if error == SystemCalls.badDescriptor, reopen() { error = 0 }
        // A short write tells no reason; writing on does, or succeeds.
        while error == 0, done < lines.count {
            let more = put(UnsafeRawBufferPointer(rebasing: lines[done...]))
            if more < 0 {
                error = Int32(-more)
            } else if more == 0 {
                error = SystemCalls.inputOutput
            } else {
                done += more
            }
        }
        size += Int64(done)
        guard error != 0 else { return }
        counters.withLock { $0.failedWrites += 1 }
        let whole = lines[..<done].lastIndex(of: 10).map { $0 + 1 } ?? 0
        trouble = Trouble(error: error, isTorn: done > whole)
        keep(UnsafeRawBufferPointer(rebasing: lines[whole...]))
        noteLost()
    }

    private func keep(_ lines: UnsafeRawBufferPointer) {
        guard let trouble, !lines.isEmpty else { return }
        trouble.linesUntilAttempt -= 1
        let dropped = trouble.backlog.append(lines)
        guard dropped > 0 else { return }
        trouble.lost += dropped
        lostTotal += dropped
        counters.withLock { $0.droppedByStorage += dropped }
    }

    /// Tries to write again: the line about the lost ones, then those that were kept.
    @discardableResult
    func attemptRecovery(force: Bool) -> Bool {
        guard let trouble else { return true }
        defer { countCarefreeBytes() }
        let now = SystemCalls.monotonicClock()
        guard force || trouble.linesUntilAttempt <= 0 || now >= trouble.nextAttempt else { return false }
        trouble.linesUntilAttempt = Self.linesBetweenAttempts
        trouble.nextAttempt = now + Self.nanosecondsBetweenAttempts
        if trouble.error == SystemCalls.noSpace { makeRoom() }
        if trouble.error == SystemCalls.fileTooLarge { rotate() }
        let isMended = isOurFile || reopen() ? writeOut(trouble) : false
        if isMended { self.trouble = nil }
        noteLost()
        return isMended
    }

    /// Writes what was kept while writing failed; returns whether that was all.
    private func writeOut(_ trouble: Trouble) -> Bool {
        var head: [UInt8] = trouble.isTorn ? [10] : []
        if trouble.lost > 0 { head += notice(trouble.lost, SystemCalls.message(of: trouble.error)) }
        if !head.isEmpty {
            let written = head.withUnsafeBytes { put($0) }
            guard written == head.count else {
                if written > 0 {
                    size += Int64(written)
                    trouble.isTorn = true
                }
                return false
            }
            size += Int64(written)
            trouble.isTorn = false
            trouble.lost = 0
        }
        let kept = trouble.backlog.contents
        let written = kept.isEmpty ? 0 : kept.withUnsafeBytes { put($0) }
        if written > 0 {
            size += Int64(written)
            let whole = kept[..<written].lastIndex(of: 10).map { $0 + 1 } ?? 0
            trouble.isTorn = written > whole
            trouble.backlog.drop(whole)
        }
        return trouble.backlog.count == 0
    }

    /// Notes in the state file what would be missing if the process ended now, also if it does.
    private func noteLost() {
        let waiting = trouble?.backlog.lineCount ?? 0
        if lostTotal + waiting != lostNoted {
            lostNoted = lostTotal + waiting
            run.noteLost(lostNoted)
        }
    }

    // MARK: Segments

    private func mustRotate(for lines: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard size > 0 else { return false }
        if rotation.isDue(since: segmentStart) { return true }
        let first = lines.firstIndex(of: 10).map { $0 - lines.startIndex + 1 } ?? lines.count
        return size + Int64(first) > segmentLimit
    }

    /// Goes on in a new file.
    ///
    /// If that cannot be made, goes on in the present one.
    private func rotate() {
        guard childProcess == nil else { return }
        let next = SystemCalls.openForAppending(run.path(.segment(number + 1)), exclusive: true)
        segmentStart = SystemCalls.monotonicClock()
        guard next >= 0 else {
            counters.withLock { $0.failedWrites += 1 }
            return
        }
        closeOurs()
        if number == 0 { firstSize = size } else { middle.append((number, size)) }
        descriptor = next
        identity = SystemCalls.status(next)?.identity
        number += 1
        size = 0
        removeSurplus()
    }

    /// Removes the oldest segments but the first until the next one fits into what a run may take.
    private func removeSurplus() {
        var total = firstSize + middle.reduce(0) { $0 + $1.size } + Int64(rotation.segmentBytes)
        var removed = 0
        while total > Int64(rotation.runBytes), removed < middle.count {
            _ = SystemCalls.remove(run.path(.segment(middle[removed].number)))
            total -= middle[removed].size
            removed += 1
        }
        guard removed > 0 else { return }
        middle.removeFirst(removed)
        counters.withLock { $0.removedSegments += removed }
    }

    // MARK: The file itself

    /// Whether the descriptor still is the file that was opened, and the file has a name.
    private var isOurFile: Bool {
        guard let status = SystemCalls.status(descriptor) else { return false }
        return status.identity == identity && status.links > 0
    }

    /// Has the next write look first, for writes of many lines.
    func lookBeforeWriting() { writesUntilCheck = 0 }

    /// Looks whether the file was deleted, truncated, or its descriptor closed and given to something else.
    private func checkFile() {
        writesUntilCheck = Self.checkInterval
        guard let status = SystemCalls.status(descriptor), status.identity == identity, status.links > 0 else {
            _ = reopen()
            return
        }
        size = status.size
    }

    /// Closes the descriptor, but not another file behind its number, which belongs to the host by now.
    private func closeOurs() {
        if let status = SystemCalls.status(descriptor), status.identity == identity { SystemCalls.close(descriptor) }
    }

    /// Opens the present segment anew, by its name; makes the folder again if it is gone.
    private func reopen() -> Bool {
        closeOurs()
        descriptor = -1
        _ = SystemCalls.createFolder(run.folder)
        let path = run.path(childProcess.map { .child(Int($0)) } ?? .segment(number))
        let opened = SystemCalls.openForAppending(path, exclusive: false)
        guard opened >= 0 else { return false }
        descriptor = opened
        let status = SystemCalls.status(opened)
        identity = status?.identity
        size = status?.size ?? 0
        return true
    }

    /// Lines that wait in memory for the disk.
    var backlog: [UInt8] { trouble?.backlog.contents ?? [] }

    func synchronize() -> Bool { SystemCalls.synchronize(descriptor) }

    /// In a forked child: the lines that wait are the parent's to write.
    func becomeForkedChild(ownFile: Bool) {
        trouble = nil
        defer { countCarefreeBytes() }
        run.releaseDescriptor()
        guard ownFile else { return }
        childProcess = SystemCalls.processID
        _ = reopen()
    }
}
