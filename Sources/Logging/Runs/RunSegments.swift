internal import AshlarBase
internal import CAshlarLogging

/// The log files of a run: each continues in one with the next number, and the oldest ones but the first are removed.
///
/// In the mode `.mapped`, a line is in the page cache when its bytes are stored, without a system call. The blocks of a
/// segment are allocated before it is mapped, so a store can't run out of disk space. A segment that can't be mapped is
/// written like those of `.writeThrough`.
struct RunSegments: SegmentSeries {
    let run: RunIdentity
    private let settings: StoreSettings
    private let mode: LogStorageMode
    private var number = 0
    /// The sizes of the finished segments, of which only the first and the newest ones are retained.
    private var finished: [(number: Int, size: Int64)] = []

    /// The number of writes between two checks whether the descriptor still refers to the run's file.
    static let checkInterval = 256

    private init(run: RunIdentity, settings: StoreSettings, mode: LogStorageMode) {
        self.run = run
        self.settings = settings
        self.mode = mode
    }

    /// Creates the first segment of a run; returns its mode, too.
    static func create(
        run: RunIdentity, _ settings: StoreSettings, mode: LogStorageMode
    ) throws(FileFailure) -> (SegmentedFile, LogStorageMode) {
        let isMappable = mode == .mapped && ashlar_log_can_map_safely(run.folder) == 1
        let series = RunSegments(run: run, settings: settings, mode: isMappable ? .mapped : .writeThrough)
        let first = series.begin(0, room: 0)
        guard first.descriptor >= 0 else { throw FileFailure(run.folder, .system(-first.descriptor)) }
        run.retain(firstSegment: first.descriptor)
        if settings.servesSignals { run.receiveSignals(in: first, isNew: true) }
        let plan = SegmentPlan(
            checkInterval: checkInterval, interval: settings.rotation.interval, waitingBytes: 64 * 1024,
            notice: settings.notice)
        return (SegmentedFile(series, file: first, plan: plan), first.isMapped ? .mapped : .writeThrough)
    }

    private func begin(_ number: Int, room: Int) -> AppendedFile {
        let path = run.path(.segment(number))
        let size = number == 0 ? settings.rotation.firstSegmentBytes : settings.rotation.segmentBytes
        if mode == .mapped, room <= size, let mapped = AppendedFile(mapped: path, size: size) { return mapped }
        return AppendedFile(path, exclusive: true)
    }

    mutating func next(after file: inout AppendedFile, room: Int) -> AppendedFile {
        let next = begin(number + 1, room: room)
        guard next.descriptor >= 0 else {
            return next
        }
        finished.removeAll { $0.number == number }
        finished.append((number, file.currentSize))
        run.receiveSignals(in: next, isNew: false)
        file.close()
        number += 1
        removeSurplus()
        return next
    }

    func open() -> AppendedFile {
        try? FolderListing.create(run.folder, permissions: 0o700)
        let file = AppendedFile(run.path(.segment(number)), exclusive: false)
        run.receiveSignals(in: file, isNew: false)
        return file
    }

    func isCurrent(_ file: AppendedFile) -> Bool { file.status != nil }

    func limit(of file: AppendedFile) -> Int64 {
        let rotation = settings.rotation
        return min(Int64(number == 0 ? rotation.firstSegmentBytes : rotation.segmentBytes), file.sizeLimit ?? .max)
    }

    func makeRoom() { settings.makeRoom() }

    func note(_ losses: SegmentLosses, since before: SegmentLosses) {
        settings.counters.withLock {
            $0.droppedByStorage += losses.dropped - before.dropped
            $0.failedWrites += losses.failedWrites - before.failedWrites
        }
        run.noteLost(losses.dropped + losses.waiting)
    }

    /// Removes the oldest segments except the first until the next one fits.
    private mutating func removeSurplus() {
        let rotation = settings.rotation
        var total = finished.reduce(Int64(rotation.segmentBytes)) { $0 + $1.size }
        while total > Int64(rotation.runBytes), let index = finished.firstIndex(where: { $0.number > 0 }) {
            FileSystem.remove(run.path(.segment(finished[index].number)))
            total -= finished.remove(at: index).size
            settings.counters.withLock { $0.removedSegments += 1 }
        }
    }

    /// Returns the log, or its last whole lines.
    func contents(limit: Int?) -> [UInt8] {
        run.contents(segments: finished.map(\.number).filter { $0 != number } + [number], limit: limit)
    }
}
