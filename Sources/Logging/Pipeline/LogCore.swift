public import Synchronization

/// Decides whether a call of a logger is enabled.
///
/// `limit` is the number of enabled levels, 0 to 9. It is computed whenever a setting changes that affects it.
@usableFromInline
class LevelGate: @unchecked Sendable {  // all properties are constant or atomic
    /// The number of enabled levels; a disabled call reads only this byte.
    @usableFromInline let limit = Atomic<UInt8>(0)
    /// The number of enabled levels without running captures.
    let regularLimit = Atomic<UInt8>(0)
    /// The logger's own threshold; `UInt8.max` for none.
    private let ownLevel: Atomic<UInt8>
    let context: LogContext

    init(_ name: String, level: LogLevel?) {
        context = LogContext(name)
        ownLevel = Atomic(level?.rawValue ?? .max)
    }

    var level: LogLevel? {
        get { LogLevel(rawValue: ownLevel.load(ordering: .relaxed)) }
        set { ownLevel.store(newValue?.rawValue ?? .max, ordering: .relaxed) }
    }
}

/// The switch, the thresholds, and the loggers to which they apply.
final class ThresholdTable: Sendable {
    private struct State {
        var isEnabled = true
        var thresholds = LogThresholds()
        /// The number of running captures for each level that they need.
        var captures: [LogLevel: Int] = [:]
        /// The least severe level that is recorded in memory.
        var recorded: LogLevel?
        /// The loggers by address.
        ///
        /// A logger removes itself before its memory is freed.
        var gates: [ObjectIdentifier: Unmanaged<LevelGate>] = [:]

        func fold(_ gate: LevelGate) {
            var own: UInt8 = 0
            if isEnabled, let level = gate.level ?? thresholds.threshold(of: gate.context.name) {
                own = level.rawValue + 1
            }
            gate.regularLimit.store(own, ordering: .relaxed)
            let captured = captures.keys.max().map { $0.rawValue + 1 } ?? 0
            let recorded = isEnabled ? recorded.map { $0.rawValue + 1 } ?? 0 : 0
            gate.limit.store(max(own, captured, recorded), ordering: .relaxed)
        }
    }

    private let state = Guarded(State())

    var forkLock: ForkSafeLock { state.lock }

    var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { change { $0.isEnabled = newValue } }
    }

    var thresholds: LogThresholds {
        get { state.withLock { $0.thresholds } }
        set { change { $0.thresholds = newValue } }
    }

    func update(_ body: (inout LogThresholds) -> Void) { change { body(&$0.thresholds) } }

    /// Sets the switch, the thresholds and the recorded level in one step.
    func configure(isEnabled: Bool, thresholds: LogThresholds, recorded: LogLevel?) {
        change { ($0.isEnabled, $0.thresholds, $0.recorded) = (isEnabled, thresholds, recorded) }
    }

    func beginCapture(_ level: LogLevel) { change { $0.captures[level, default: 0] += 1 } }

    func endCapture(_ level: LogLevel) {
        change {
            $0.captures[level, default: 1] -= 1
            if $0.captures[level] == 0 { $0.captures[level] = nil }
        }
    }

    func add(_ gate: LevelGate) {
        state.withLock {
            $0.gates[ObjectIdentifier(gate)] = .passUnretained(gate)
            $0.fold(gate)
        }
    }

    func remove(_ gate: LevelGate) { state.withLock { $0.gates[ObjectIdentifier(gate)] = nil } }

    /// Applies a change of the logger's own level.
    func refold(_ gate: LevelGate) { state.withLock { $0.fold(gate) } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            for gate in state.gates.values { gate._withUnsafeGuaranteedRef { state.fold($0) } }
        }
    }
}
