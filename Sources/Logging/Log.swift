public import Synchronization

/// A logger: a context under which lines are written.
///
/// A logger is one reference, so copies are free and share their level. Loggers may be made and used on any thread. A
/// call below the threshold reads one byte: its message, its fields and all they call are not evaluated.
///
/// ```swift
/// let log = Log("Upload")
/// log.info("begins")
/// log.debug("part \(3)").indent(true)
/// log.indent(false).debug("part DONE")
/// ```
public struct Log: Sendable {
    @usableFromInline let core: LogCore

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - context: What is printed as the context of its lines, such as the name of a type.
    ///   - level: The logger's own threshold; without it, the thresholds of ``LogSystem`` decide.
    public init(_ context: String, level: LogLevel? = nil) { self.init(context, level: level, pipeline: .shared) }

    /// Creates a logger whose context is the name of a type: `Log(for: Self.self)`.
    ///
    /// - Complexity: O(1); the name of each type is made once.
    public init(for type: Any.Type, level: LogLevel? = nil) {
        self.init(LogCore.name(of: type), level: level)
    }

    init(_ context: String, level: LogLevel? = nil, pipeline: LogPipeline) {
        core = LogCore(context, level: level, pipeline: pipeline)
    }

    /// What is printed as the context of the logger's lines.
    public var context: String { core.context.name }

    /// The logger's own threshold, which goes before those of ``LogSystem``; `nil` for none.
    ///
    /// All copies of the logger share it.
    public var level: LogLevel? {
        get { core.ownLevel.load(ordering: .relaxed).level }
        nonmutating set {
            core.ownLevel.store(OwnLevel(level: newValue), ordering: .relaxed)
            core.pipeline.table.refold(core)
        }
    }

    /// Whether a line of this level would be written now.
    @inlinable
    public func isEnabled(_ level: LogLevel) -> Bool {
        level.rawValue < LogLevel.compiledCount && level.rawValue < core.limit.load(ordering: .relaxed)
    }
}

extension Log: CustomStringConvertible {
    /// Level and context, as MyLogger's `description` told them.
    public var description: String {
        let effective = level ?? core.pipeline.table.thresholds.threshold(of: context)
        return "Log - level: \(effective?.name ?? "OFF"), context: \(context)"
    }
}

/// What the copies of a logger share.
@usableFromInline
final class LogCore: Sendable {
    /// How many levels pass; the one byte that a disabled call reads.
    @usableFromInline let limit = Atomic<UInt8>(0)
    /// How many levels pass without what captures ask for in addition.
    let regularLimit = Atomic<UInt8>(0)
    let ownLevel: Atomic<OwnLevel>
    let context: LogContext
    /// That of `context`.
    private let identity: UInt64

    let pipeline: LogPipeline

    init(_ name: String, level: LogLevel?, pipeline: LogPipeline) {
        context = LogContext(name)
        identity = context.identity
        ownLevel = Atomic(OwnLevel(level: level))
        self.pipeline = pipeline
        pipeline.table.add(self)
    }

    deinit { pipeline.table.remove(self) }

    private static let typeNames = Guarded<[ObjectIdentifier: String]>([:])
    static var forkLock: ForkSafeLock { typeNames.lock }

    static func name(of type: Any.Type) -> String {
        let key = ObjectIdentifier(type)
        if let known = typeNames.withLock({ $0[key] }) { return known }
        let name = String(describing: type)
        typeNames.withLock { $0[key] = name }
        return name
    }

    /// Begins an enabled call, before its message is evaluated; `false` if calls are nested too deep.
    ///
    /// A `description` may log something whose `description` logs. At the eighth level the line is dropped and counted.
    @usableFromInline
    func begin() -> Bool {
        let thread = ThreadContext.current
        guard thread.state.pointee.nesting < 8 else {
            pipeline.counters.withLock { $0.droppedRecursive += 1 }
            return false
        }
        thread.state.pointee.nesting += 1
        return true
    }

    /// Writes a line and ends the call.
    @usableFromInline
    func emit(
        _ level: LogLevel, _ message: consuming LogMessage, _ fields: LogFields, _ file: StaticString,
        _ function: StaticString, _ line: UInt
    ) {
        var message = message
        let thread = ThreadContext.current
        if fields.isEmpty, pipeline.emitPlainly(from: identity, level, &message.owner, on: thread) { return }
        emitInFull(level, &message, fields, LogPlace(file: file, function: function), line, on: thread)
    }

    @inline(never)
    private func emitInFull(
        _ level: LogLevel, _ message: inout LogMessage, _ fields: LogFields, _ place: LogPlace, _ line: UInt,
        on thread: ThreadContext
    ) {
        pipeline.emit(
            from: self, level, (message.start, message.count, message.omitted), fields, place, line, on: thread)
        thread.giveBack(&message)
        thread.state.pointee.nesting -= 1
    }

    /// Writes a line of run-time text and ends the call; without a text nothing is written.
    @usableFromInline
    func emit(
        _ level: LogLevel, _ text: String?, _ fields: LogFields, _ file: StaticString, _ function: StaticString,
        _ line: UInt
    ) {
        let thread = ThreadContext.current
        if let text {
            LogText.withBytes(text) { text in
                pipeline.emit(
                    from: self, level, (text.start, text.count, 0), fields,
                    LogPlace(file: file, function: function), line, on: thread)
            }
        }
        thread.state.pointee.nesting -= 1
    }
}
