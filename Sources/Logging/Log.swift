public import Synchronization

/// Writes lines with a context.
///
/// Copies of a logger share its level and cost nothing. Loggers can be created and used on any thread. A call below the
/// threshold reads one byte and doesn't evaluate the message or the fields.
///
/// ```swift
/// let log = Log("Upload")
/// log.info("begins")
/// log.debug("part \(3)").indent(true)
/// log.indent(false).debug("part DONE")
/// ```
public struct Log: Sendable {
    @usableFromInline let core: LogCore
    /// The fields of all lines of this logger; nil for none.
    let bound: BoundFields?

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - context: The context of its lines, such as the name of a type.
    ///   - level: The logger's own threshold; if nil, the thresholds of ``LogSystem`` apply.
    public init(_ context: String, level: LogLevel? = nil) { self.init(context, level: level, pipeline: .shared) }

    /// Creates a logger whose context is the name of a type: `Log(for: Self.self)`.
    public init(for type: Any.Type, level: LogLevel? = nil) { self.init(TypeNames.name(of: type), level: level) }

    init(_ context: String, level: LogLevel? = nil, pipeline: LogPipeline) {
        self.init(core: LogCore(context, level: level, pipeline: pipeline), bound: nil)
    }

    init(core: LogCore, bound: BoundFields?) { (self.core, self.bound) = (core, bound) }

    /// Returns a logger whose lines have additional fields: `log.with(["request": id])`.
    ///
    /// The logger shares context and level with this one. Its fields come before those of each line and are evaluated
    /// now, so that they cost a line no allocation.
    public func with(_ fields: LogFields) -> Log {
        guard !fields.isEmpty else { return self }
        return Log(core: core, bound: BoundFields(bound?.fields.followed(by: fields) ?? fields))
    }

    /// The context of the logger's lines.
    public var context: String { core.context.name }

    /// The logger's own threshold, which takes precedence over those of ``LogSystem``; nil if there is none.
    ///
    /// All copies of the logger share it.
    public var level: LogLevel? {
        get { core.level }
        nonmutating set {
            core.level = newValue
            core.pipeline.table.refold(core)
        }
    }

    /// Returns whether a line of this level would be written, or recorded for a later error.
    @inlinable
    public func isEnabled(_ level: LogLevel) -> Bool {
        // The hint moves the code of an enabled call out of the caller's way: 1 instead of 2.4 × the empty loop in the
        // benchmark row "disabled call".
        _slowPath(level.rawValue < LogLevel.compiledCount && level.rawValue < core.limit.load(ordering: .relaxed))
    }

    /// Writes a line with an evaluated message, and ends the call.
    @usableFromInline
    func emit(
        _ level: LogLevel, _ message: consuming LogMessage, _ fields: consuming LogFields, _ file: StaticString,
        _ function: StaticString, _ line: UInt
    ) {
        var message = message
        let thread = ThreadContext.current
        core.pipeline.emit(
            from: core, level, message.text, omitted: message.omitted, bound, fields,
            LogPlace(file: file, function: function), line, on: thread)
        thread.giveBack(&message.owner)
        thread.state.pointee.nesting -= 1
    }

    /// Writes a line with a string known at run time, and ends the call; nil writes nothing.
    @usableFromInline
    func emit(
        _ level: LogLevel, _ text: String?, _ fields: LogFields, _ file: StaticString, _ function: StaticString,
        _ line: UInt
    ) {
        let thread = ThreadContext.current
        if let text {
            LogText.withBytes(text) {
                core.pipeline.emit(
                    from: core, level, $0, omitted: 0, bound, fields, LogPlace(file: file, function: function), line,
                    on: thread)
            }
        }
        thread.state.pointee.nesting -= 1
    }
}

extension Log: CustomStringConvertible {
    /// The context and the level, as in MyLogger's `description`.
    public var description: String {
        let effective = level ?? core.pipeline.table.thresholds.threshold(of: context)
        return "Log - level: \(effective?.name ?? "OFF"), context: \(context)"
    }
}

/// The state that copies of a logger share.
@usableFromInline
final class LogCore: LevelGate, @unchecked Sendable {  // `pipeline` is constant
    let pipeline: LogPipeline

    init(_ name: String, level: LogLevel?, pipeline: LogPipeline) {
        self.pipeline = pipeline
        super.init(name, level: level)
        pipeline.table.add(self)
    }

    deinit { pipeline.table.remove(self) }

    /// Begins an enabled call before its message is evaluated; returns `false` if calls are nested too deeply.
    ///
    /// A `description` can log a value whose `description` logs. At the eighth level, the line is dropped and counted.
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
}
