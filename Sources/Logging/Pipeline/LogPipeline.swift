internal import CAshlarLogging
import Synchronization

/// The way of a line: the settings of the moment, the record, its format, the run file, the sinks.
final class LogPipeline: @unchecked Sendable {  // what changes is atomic or behind a lock
    static let shared = LogPipeline()

    let table = ThresholdTable()
    let counters = Guarded(LogCounters())
    private let sequence = Atomic<UInt64>(0)
    /// How many captures are under way.
    private let captures = Atomic<Int>(0)
    /// The number of the present settings.
    ///
    /// Numbers are never used twice in a process, so a thread that knows settings by their number knows whose they
    /// are.
    private let generation: Atomic<UInt64>
    private static let lastGeneration = Atomic<UInt64>(0)
    private let latest: Guarded<PipelineSettings>
    /// Lines from before the start; `nil` once there is a store.
    private let early = Guarded(EarlyLines())
    let control = Guarded(RunControl())

    private static let reveals = Atomic<Bool>(false)
    static var revealsPrivateValues: Bool {
        get { reveals.load(ordering: .relaxed) }
        set { reveals.store(newValue, ordering: .relaxed) }
    }

    init() {
        let first = Self.nextGeneration()
        generation = Atomic(first)
        latest = Guarded(
            PipelineSettings(
                generation: first, store: nil, format: LogFormat.standard.compiled, sinks: [], maximumLineBytes: 65536,
                extraFields: [:]))
    }

    private static func nextGeneration() -> UInt64 { lastGeneration.wrappingAdd(1, ordering: .relaxed).newValue }

    // MARK: Settings

    /// The settings of the moment; a thread keeps them until there are others, so a line takes no lock for them.
    @inline(__always)
    private func settings(of thread: ThreadContext) -> Unmanaged<PipelineSettings> {
        if thread.state.pointee.generation != generation.load(ordering: .acquiring) { refresh(thread) }
        return thread.state.pointee.settings.unsafelyUnwrapped
    }

    @inline(never)
    private func refresh(_ thread: ThreadContext) {
        let settings = latest.withLock { $0 }
        // The old settings, and with them perhaps a sink, are let go when the thread has the new ones.
        let old = thread.state.pointee.settings
        thread.state.pointee.settings = .passRetained(settings)
        thread.state.pointee.generation = settings.generation
        thread.state.pointee.messageLimit = settings.maximumLineBytes + 64
        thread.state.pointee.plainStore = settings.plainStore
        thread.state.pointee.heads.removeAll()
        old?.release()
    }

    /// Replaces the settings; `make` gets the present ones and the number of the new ones.
    func replaceSettings(_ make: (_ old: PipelineSettings, _ generation: UInt64) -> PipelineSettings) {
        // The old settings, and with them perhaps a sink, are let go outside of the lock.
        let old = latest.withLock { settings in
            let old = settings
            settings = make(old, Self.nextGeneration())
            generation.store(settings.generation, ordering: .releasing)
            return old
        }
        withExtendedLifetime(old) {}
    }

    var settings: PipelineSettings { latest.withLock { $0 } }

    var format: LogFormat {
        get { LogFormat(settings.format) }
        set {
            replaceSettings { old, generation in
                old.with(format: newValue.compiled, generation: generation)
            }
        }
    }

    // MARK: A line

    /// Writes the line of a message around the message itself, where it was collected.
    ///
    /// Most lines are plain: without fields, in a format that ends with the message, by a logger whose lines begin the
    /// same as lately, of characters that stand for themselves. Returns `false`, with nothing done, for any other line,
    /// and unless this thread knows the present settings.
    ///
    /// The message goes back to the thread before the line is written: nothing takes it meanwhile, and what is done
    /// after the system call takes longer.
    @inline(__always)
    func emitPlainly(
        from context: UInt64, _ level: LogLevel, _ owner: inout MessageBuffer?, on thread: ThreadContext
    ) -> Bool {
        guard owner != nil, isKnownUniquelyReferenced(&owner) else { return false }
        let message = owner.unsafelyUnwrapped.buffer
        guard thread.hasRoom(for: message) else { return false }
        let state = thread.state
        let store = state.pointee.plainStore
        if case .none = store { return false }
        guard state.pointee.generation == generation.load(ordering: .acquiring),
            captures.load(ordering: .relaxed) == 0
        else { return false }
        let depth = LogIndent.depth(on: thread)
        guard depth <= LineHeads.deepest, let head = state.pointee.heads.known(context, level, depth) else {
            return false
        }
        let count = message.count &- MessageBuffer.room
        guard count < Self.longestPlainMessage, Escaping.isPlain(message, from: MessageBuffer.room) else {
            return false
        }
        sequence.wrappingAdd(1, ordering: .relaxed)
        let start = UnsafeMutableRawPointer(message.start + MessageBuffer.room)
        var copied = 0
        repeat {
            copied &+= 16
            let part = head.end.loadUnaligned(fromByteOffset: 0 &- copied, as: SIMD16<UInt8>.self)
            start.storeBytes(of: part, toByteOffset: 0 &- copied, as: SIMD16<UInt8>.self)
        } while copied < head.count
        start.storeBytes(of: 10, toByteOffset: count, as: UInt8.self)
        let line = UnsafeRawBufferPointer(start: start - head.count, count: head.count &+ count &+ 1)
        thread.keep(&owner)
        thread.state.pointee.nesting &-= 1
        switch store {
        case .appending(let store): store._withUnsafeGuaranteedRef { $0.append(line) }
        case .mapped(let store): store._withUnsafeGuaranteedRef { $0.append(line, level: level) }
        case .none: break
        }
        return true
    }

    /// With any beginning, such a message fits into the shortest limit of lines there is.
    private static let longestPlainMessage = 1024 - LineHeads.longest

    /// Writes a line whose message has been evaluated.
    func emit(
        from core: LogCore, _ level: LogLevel, _ message: (start: UnsafePointer<UInt8>, count: Int, omitted: Int),
        _ fields: consuming LogFields, _ place: LogPlace, _ line: UInt, on thread: ThreadContext
    ) {
        // The thread lets go of its settings only for others, which no code below brings about but that of sinks.
        let settings = settings(of: thread)
        let needs = settings._withUnsafeGuaranteedRef { (isUnusual: $0.isUnusual, time: $0.needsTime) }
        guard !needs.isUnusual, captures.load(ordering: .relaxed) == 0 else {
            emitUnusual(from: core, level, message, fields, place, line, by: settings.takeUnretainedValue(), on: thread)
            return
        }
        let record = LogRecord(
            sequence: sequence.wrappingAdd(1, ordering: .relaxed).newValue, level: level,
            time: needs.time ? .now : LogTime(nanoseconds: 0), depth: LogIndent.depth(on: thread), fields: fields,
            line: line, threadID: thread.state.pointee.threadID, source: core.context, place: place,
            messageStart: message.start, messageCount: message.count, messageOmitted: message.omitted)
        settings._withUnsafeGuaranteedRef { write(record, by: $0, on: thread) }
    }

    /// The same where more is to be done than to write the line to the store.
    @inline(never)
    private func emitUnusual(
        from core: LogCore, _ level: LogLevel, _ message: (start: UnsafePointer<UInt8>, count: Int, omitted: Int),
        _ given: LogFields, _ place: LogPlace, _ line: UInt, by settings: PipelineSettings, on thread: ThreadContext
    ) {
        let isCapturing = captures.load(ordering: .relaxed) != 0
        let isRegular = !isCapturing || level.rawValue < core.regularLimit.load(ordering: .relaxed)
        var fields = given
        if settings.hasExtras, isRegular {
            guard addExtras(to: &fields, level, place, line, settings) else { return }
        }
        let needsTime = settings.needsTime || isCapturing
        let record = LogRecord(
            sequence: sequence.wrappingAdd(1, ordering: .relaxed).newValue, level: level,
            time: needsTime ? .now : LogTime(nanoseconds: 0), depth: LogIndent.depth(on: thread), fields: fields,
            line: line, threadID: thread.state.pointee.threadID, source: core.context, place: place,
            messageStart: message.start, messageCount: message.count, messageOmitted: message.omitted)
        if isCapturing { for sink in CapturingSink.active { _ = sink.receive(record) } }
        if isRegular { deliver(record, by: settings, on: thread) }
    }

    /// Adds the fields that lines get under these settings; `false` if the line is held back.
    @inline(never)
    private func addExtras(
        to fields: inout LogFields, _ level: LogLevel, _ place: LogPlace, _ line: UInt, _ settings: PipelineSettings
    ) -> Bool {
        if let limiter = settings.limiter {
            switch limiter.admit(level, place, line) {
            case .held:
                counters.withLock { $0.suppressed += 1 }
                return false
            case .admitted(let suppressed):
                if suppressed > 0 { fields.append("suppressed", suppressed) }
            }
        }
        fields.append(contentsOf: settings.extraFields)
        return true
    }

    func beginCapture(_ level: LogLevel) {
        captures.add(1, ordering: .relaxed)
        table.beginCapture(level)
    }

    func endCapture(_ level: LogLevel) {
        table.endCapture(level)
        captures.subtract(1, ordering: .relaxed)
    }

    @inline(never)
    private func deliver(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        guard settings.store != nil else {
            keepEarly(record)
            return
        }
        write(record, by: settings, on: thread)
        if !settings.sinks.isEmpty { serveSinks(record, by: settings, on: thread) }
    }

    /// Formats the line and puts it into the store, which there must be.
    @inline(__always)
    private func write(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        let line = thread.line
        line.reset()
        let cut = settings.format.write(record, to: line, limit: settings.maximumLineBytes, heads: thread.heads)
        line.append(byte: 10)
        // Not bound to a name: that would count a reference for every line.
        settings.store.unsafelyUnwrapped.append(line.bytes, level: record.level)
        if cut { counters.withLock { $0.truncated += 1 } }
        line.shrink()
    }

    /// Hands the line to the sinks, outside of any lock.
    ///
    /// What a sink logs meanwhile goes to the run file only.
    private func serveSinks(_ record: borrowing LogRecord, by settings: PipelineSettings, on thread: ThreadContext) {
        guard thread.state.pointee.sinkNesting == 0 else { return }
        thread.state.pointee.sinkNesting += 1
        for slot in settings.sinks { slot.deliver(record, counters: counters) }
        thread.state.pointee.sinkNesting -= 1
    }

    // MARK: Before the start

    private func keepEarly(_ record: borrowing LogRecord) {
        let copy = record.copy()
        let kept = early.withLock { $0.keep(copy) }
        switch kept {
        case .kept(let dropped):
            if dropped > 0 { counters.withLock { $0.droppedEarly += dropped } }
        case .tooLate:
            // The run began between the look at the settings and here.
            copy.withRecord { deliver($0, by: settings, on: .current) }
        }
    }

    /// Takes the early lines and writes them to the store that becomes the run's; the sinks get them later.
    func replayEarly(by settings: PipelineSettings, isLast: Bool) -> [LogRecord.Copy] {
        let copies = early.withLock { isLast ? $0.close() : $0.take() }
        guard settings.store != nil else { return copies }
        for copy in copies { copy.withRecord { write($0, by: settings, on: .current) } }
        return copies
    }

    /// Hands early lines to the sinks.
    func serveSinks(early copies: [LogRecord.Copy]) {
        let settings = settings
        for copy in copies { copy.withRecord { serveSinks($0, by: settings, on: .current) } }
    }

    // MARK: The log

    func liveBytes(limit: Int?) -> [UInt8] {
        if let store = settings.store { return store.contents(limit: limit) }
        let format = format
        let text = early.withLock { $0.copies }.map { $0.formatted(as: format) + "\n" }.joined()
        let bytes = Array(text.utf8)
        return limit.map { RunReader.wholeLines(bytes, limit: $0) } ?? bytes
    }

    func readCounters() -> LogCounters {
        var result = counters.withLock { $0 }
        result.emitted = Int(clamping: sequence.load(ordering: .relaxed))
        return result
    }

    /// The locks that are taken while others are held, in order.
    var innerLocks: [any ForkLock] { [early.lock, latest.lock, counters.lock] }

    /// In a forked child: every line says which process it is of.
    func becomeForkedChild() {
        let pid = SystemCalls.processID
        replaceSettings { old, generation in old.adding(["pid": pid], generation: generation) }
    }

    var emittedLines: UInt64 { sequence.load(ordering: .relaxed) }
}

/// Lines from before the start, as many of the newest as fit into 64 KiB.
struct EarlyLines {
    static let capacity = 64 * 1024

    private(set) var copies: [LogRecord.Copy] = []
    private var bytes = 0
    private var isClosed = false

    enum Kept {
        case kept(dropped: Int)
        case tooLate
    }

    mutating func keep(_ copy: LogRecord.Copy) -> Kept {
        guard !isClosed else { return .tooLate }
        copies.append(copy)
        bytes += copy.footprint
        var surplus = 0
        while bytes > Self.capacity, surplus < copies.count {
            bytes -= copies[surplus].footprint
            surplus += 1
        }
        copies.removeFirst(surplus)
        return .kept(dropped: surplus)
    }

    mutating func take() -> [LogRecord.Copy] {
        defer { (copies, bytes) = ([], 0) }
        return copies
    }

    mutating func close() -> [LogRecord.Copy] {
        isClosed = true
        return take()
    }
}
