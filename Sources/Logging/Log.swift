internal import CAshlarLogging
public import Synchronization

/// Writes lines with a context.
///
/// Copies of a logger share its level and cost nothing. Loggers can be created and used on any thread. A call below the
/// threshold reads one byte and doesn't evaluate the message or the fields.
///
/// ```swift
/// let log = Log("Upload")
/// log.info("begins")  // 2026-11-20T13:22:32.123Z [INFO] Upload - begins
/// log.indent(true)
/// log.warning("part \(3) is late")
/// log.indent(false).info("done")
/// ```
///
/// Without a start, these lines are on the standard error stream; `LogSystem.start` stores them in files, too.
public struct Log: Sendable {
    @usableFromInline let core: LogCore
    /// The fields of all lines of this logger.
    let bound: LogFields

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - context: The context of its lines, such as the name of a type.
    ///   - level: The logger's own threshold; if nil, the thresholds of ``LogSystem`` apply.
    public init(_ context: String, level: LogLevel? = nil) { self.init(context, level: level, pipeline: .shared) }

    /// Creates a logger whose context is the name of a type: `Log(for: Self.self)`.
    public init(for type: Any.Type, level: LogLevel? = nil) { self.init(String(describing: type), level: level) }

    init(_ context: String, level: LogLevel? = nil, pipeline: LogPipeline) {
        self.init(core: LogCore(context, level: level, pipeline: pipeline), bound: [:])
    }

    init(core: LogCore, bound: LogFields) {
        self.core = core
        self.bound = bound
    }

    /// Returns a logger whose lines have additional fields: `log.with(["request": id])`.
    ///
    /// The logger shares context and level with this one. Its fields are evaluated now and come before those of each
    /// line. For a key that several lists have, the innermost value wins: that of the call, then of
    /// `LogSystem.withFields` and scopes, then of the logger.
    public func with(_ fields: LogFields) -> Log { Log(core: core, bound: bound.followed(by: fields)) }

    /// The context of the logger's lines.
    public var context: String { core.context }

    /// The logger's own threshold, which takes precedence over those of ``LogSystem``; nil if there is none.
    ///
    /// All copies of the logger share it.
    public var level: LogLevel? {
        get { core.level }
        nonmutating set { core.level = newValue }
    }

    /// Returns whether a line of this level would be written, or recorded for a later error.
    @inlinable
    public func isEnabled(_ level: LogLevel) -> Bool {
        // The hint moves the code of an enabled call out of the caller's way: 1 instead of 2.4 × the empty loop in the
        // benchmark row "disabled call".
        _slowPath(level.rawValue < LogLevel.compiledCount && level.rawValue < core.limit.load(ordering: .relaxed))
    }

    /// Evaluates the message and the fields, and writes the line.
    @usableFromInline
    func write(
        _ level: LogLevel, _ message: () -> LogMessage, _ fields: () -> LogFields, _ file: String, _ function: String,
        _ line: UInt
    ) {
        // A `description` can log a value whose `description` logs. At the eighth level, the line is dropped and counted.
        let thread: UnsafeMutablePointer<ashlar_log_thread> = ashlar_log_current_thread()
        guard thread.pointee.calls < 8 else {
            return core.pipeline.counters.withLock { $0.droppedRecursive += 1 }
        }
        thread.pointee.calls += 1
        defer { thread.pointee.calls -= 1 }
        core.pipeline.emit(
            level, message().text, fields(), from: core, bound: bound, file: file, function: function, line: line)
    }

    /// Writes a line on behalf of another logging system, which has its own level, context and position.
    ///
    /// The thresholds apply to `context`. The text isn't escaped a second time, and it is evaluated in any case.
    ///
    /// - Parameters:
    ///   - level: The level of the line.
    ///   - message: The text.
    ///   - context: The context, if it isn't the logger's context.
    ///   - fields: The fields of the line, after those of the logger.
    ///   - function: The function of the call.
    ///   - file: The file of the call.
    ///   - line: The line of the call.
    public func logRaw(
        _ level: LogLevel, _ message: String, context: String? = nil, fields: LogFields = [:],
        function: String = #function, file: String = #fileID, line: UInt = #line
    ) {
        var target = self
        if let context, context != self.context {
            target = Log(core: LogCore(context, level: self.level, pipeline: core.pipeline), bound: bound)
        }
        guard target.isEnabled(level) else { return }
        target.write(level, { "\(message)" }, { fields }, file, function, line)
    }
}

extension Log: CustomStringConvertible {
    /// The context and the level, as in MyLogger's `description`.
    public var description: String {
        let effective = level ?? core.pipeline.table.thresholds.threshold(of: context)
        return "Log - level: \(effective?.description ?? "OFF"), context: \(context)"
    }
}
