import Synchronization

/// All that decides whether a call is enabled, folded into one byte per logger whenever it changes.
///
/// The byte is the number of levels that pass: 0 for none, 9 for all.
final class ThresholdTable: @unchecked Sendable {  // everything mutable is read and written under `lock`
    private let lock = ForkSafeLock()
    private var isEnabledNow = true
    private var thresholdsNow = LogThresholds()
    /// Levels that running captures want to see, how often each.
    private var captures: [LogLevel: Int] = [:]
    /// Loggers by their own address.
    ///
    /// A logger takes itself out before its memory goes, so the pointers stay valid under the lock, also during the
    /// `deinit` that waits for it.
    private var loggers: [UnsafeRawPointer: Unmanaged<LogCore>] = [:]

    /// The locks a fork has to hold.
    var forkLocks: [any ForkLock] { [lock] }

    var isEnabled: Bool {
        get { lock.withLock { isEnabledNow } }
        set { change { isEnabledNow = newValue } }
    }

    var thresholds: LogThresholds {
        get { lock.withLock { thresholdsNow } }
        set { change { thresholdsNow = newValue } }
    }

    func update(_ body: (inout LogThresholds) -> Void) { change { body(&thresholdsNow) } }

    /// Sets switch and thresholds in one step.
    func configure(isEnabled: Bool, thresholds: LogThresholds) {
        change { (isEnabledNow, thresholdsNow) = (isEnabled, thresholds) }
    }

    func beginCapture(_ level: LogLevel) { change { captures[level, default: 0] += 1 } }

    func endCapture(_ level: LogLevel) {
        change {
            captures[level, default: 1] -= 1
            if captures[level] == 0 { captures[level] = nil }
        }
    }

    func add(_ core: LogCore) {
        lock.withLock {
            loggers[UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque())] = .passUnretained(core)
            fold(core)
        }
    }

    func remove(_ core: LogCore) {
        lock.withLock { loggers[UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque())] = nil }
    }

    /// Folds anew after the logger's own level changed.
    func refold(_ core: LogCore) { lock.withLock { fold(core) } }

    private func change(_ body: () -> Void) {
        lock.withLock {
            body()
            for core in loggers.values { core._withUnsafeGuaranteedRef { fold($0) } }
        }
    }

    private func fold(_ core: LogCore) {
        let own: UInt8 =
            if !isEnabledNow {
                0
            } else if let level = core.ownLevel.load(ordering: .relaxed).level {
                level.rawValue + 1
            } else {
                thresholdsNow.threshold(of: core.context.name).map { $0.rawValue + 1 } ?? 0
            }
        core.regularLimit.store(own, ordering: .relaxed)
        let captured = captures.keys.max().map { $0.rawValue + 1 } ?? 0
        core.limit.store(max(own, captured), ordering: .relaxed)
    }
}

/// An optional level in one byte.
struct OwnLevel: AtomicRepresentable {
    typealias AtomicRepresentation = UInt8.AtomicRepresentation
    var level: LogLevel?

    static func encodeAtomicRepresentation(_ value: consuming OwnLevel) -> AtomicRepresentation {
        UInt8.encodeAtomicRepresentation(value.level?.rawValue ?? .max)
    }

    static func decodeAtomicRepresentation(_ storage: consuming AtomicRepresentation) -> OwnLevel {
        OwnLevel(level: LogLevel(rawValue: UInt8.decodeAtomicRepresentation(storage)))
    }
}
