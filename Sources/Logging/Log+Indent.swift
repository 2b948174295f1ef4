import Synchronization

extension Log {
    /// Makes the lines that follow one level deeper, or one level less deep again.
    ///
    /// As in MyLogger the depth is shared by all loggers, a line is written first and what follows is deeper, and the
    /// line that closes comes after `indent(false)`. The depth belongs to the current task, or to the current thread
    /// outside of tasks, and changes even when the logger's level is below the threshold, so that pairs stay balanced. One
    /// `indent(false)` too many leaves the depth at 0 and is counted in ``LogCounters/unbalancedIndents``.
    ///
    /// ```swift
    /// let log = Log("EntryFieldHelper")
    /// log.debug("initWithView:").indent(true)
    /// log.indent(false).debug("initWithView: DONE")
    /// ```
    ///
    /// For code that awaits, throws or returns early, `scope(_:_:level:file:function:line:_:)` cannot get out of
    /// balance.
    @discardableResult
    public func indent(_ deeper: Bool) -> Log {
        LogIndent.change(deeper, counters: core.pipeline.counters)
        return self
    }

    /// Writes a line on behalf of another logging system, which knows its own level, context and place.
    ///
    /// The seam for bridges: the thresholds apply to `context`, the text is copied as it is, and nothing is lazy because
    /// the caller has made the text already.
    public func logRaw(
        _ level: LogLevel, _ message: String, context: String? = nil, fields: LogFields = [:],
        function: String = #function, file: String = #fileID, line: UInt = #line
    ) {
        let target =
            context.map { $0 == self.context ? core : LogCore($0, level: self.level, pipeline: core.pipeline) } ?? core
        guard level.rawValue < LogLevel.compiledCount, level.rawValue < target.limit.load(ordering: .relaxed),
            target.begin()
        else { return }
        let thread = ThreadContext.current
        LogText.withBytes(message) { text in
            LogPlace.with(file: file, function: function) { place in
                target.pipeline.emit(from: target, level, (text.start, text.count, 0), fields, place, line, on: thread)
            }
        }
        thread.state.pointee.nesting -= 1
    }
}
