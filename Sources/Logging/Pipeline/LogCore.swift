internal import AshlarBase
public import Synchronization

/// The state that copies of a logger share, with which a call decides whether it is enabled.
@usableFromInline
final class LogCore: Sendable {
    /// The number of enabled levels, 0 to 9; a disabled call reads only this byte.
    ///
    /// It is computed whenever a setting changes that affects it.
    @usableFromInline let limit = Atomic<UInt8>(0)
    /// The number of enabled levels without running captures.
    let regularLimit = Atomic<UInt8>(0)
    /// The logger's own threshold; `UInt8.max` for none.
    private let ownLevel: Atomic<UInt8>
    let context: String
    let pipeline: LogPipeline

    init(_ name: String, level: LogLevel?, pipeline: LogPipeline) {
        context = name
        ownLevel = Atomic(level?.rawValue ?? .max)
        self.pipeline = pipeline
        pipeline.table.add(self)
    }

    deinit { pipeline.table.remove(self) }

    var level: LogLevel? {
        get { LogLevel(rawValue: ownLevel.load(ordering: .relaxed)) }
        set {
            ownLevel.store(newValue?.rawValue ?? .max, ordering: .relaxed)
            pipeline.table.refold(self)
        }
    }
}

/// The switch, the thresholds, and the loggers to which they apply.
final class ThresholdTable: Sendable {
    private final class State {
        var isEnabled = true
        var thresholds = LogThresholds()
        /// The least severe levels of the running captures.
        var captures: [LogLevel] = []
        /// The least severe level that is recorded in memory.
        var recorded: LogLevel?
        /// The loggers by address; a logger removes itself.
        var cores: [ObjectIdentifier: Weak<LogCore>] = [:]

        func fold(_ core: LogCore) {
            var own: UInt8 = 0
            if isEnabled, let level = core.level ?? thresholds.threshold(of: core.context) {
                own = level.rawValue + 1
            }
            core.regularLimit.store(own, ordering: .relaxed)
            let captured = captures.max().map { $0.rawValue + 1 } ?? 0
            let recorded = isEnabled ? recorded.map { $0.rawValue + 1 } ?? 0 : 0
            core.limit.store(max(own, captured, recorded), ordering: .relaxed)
        }
    }

    private let state = Guarded(State())

    var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            state.withLock { $0.isEnabled = newValue }
            refold()
        }
    }

    var thresholds: LogThresholds {
        get { state.withLock { $0.thresholds } }
        set {
            state.withLock { $0.thresholds = newValue }
            refold()
        }
    }

    func setGlobal(_ level: LogLevel?) {
        state.withLock { $0.thresholds.global = level }
        refold()
    }

    /// Sets the switch, the thresholds and the recorded level in one step.
    func configure(isEnabled: Bool, thresholds: LogThresholds, recorded: LogLevel?) {
        state.withLock {
            $0.isEnabled = isEnabled
            $0.thresholds = thresholds
            $0.recorded = recorded
        }
        refold()
    }

    func beginCapture(_ level: LogLevel) {
        state.withLock { $0.captures.append(level) }
        refold()
    }

    func endCapture(_ level: LogLevel) {
        state.withLock { state in
            if let index = state.captures.firstIndex(of: level) { state.captures.remove(at: index) }
        }
        refold()
    }

    func add(_ core: LogCore) {
        state.withLock {
            $0.cores[ObjectIdentifier(core)] = Weak(core)
            $0.fold(core)
        }
    }

    func remove(_ core: LogCore) { state.withLock { $0.cores[ObjectIdentifier(core)] = nil } }

    /// Applies a change of the logger's own level.
    func refold(_ core: LogCore) { state.withLock { $0.fold(core) } }

    /// Applies a change to all loggers.
    private func refold() {
        // The loggers are released outside the lock, because one whose last copy has gone meanwhile takes it.
        var used: [LogCore] = []
        state.withLock { state in
            for entry in state.cores.values {
                guard let core = entry.object else { continue }
                state.fold(core)
                used.append(core)
            }
        }
        withExtendedLifetime(used) {}
    }
}
