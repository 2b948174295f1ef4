internal import Synchronization

extension Log {
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
        var target = core
        if let context, context != self.context {
            target = LogCore(context, level: self.level, pipeline: core.pipeline)
        }
        guard level.rawValue < LogLevel.compiledCount, level.rawValue < target.limit.load(ordering: .relaxed),
            target.begin()
        else { return }
        let thread = ThreadContext.current
        LogText.withBytes(message) { text in
            LogPlace.with(file: file, function: function) { place in
                target.pipeline.emit(
                    from: target, level, text, omitted: 0, bound, fields, place, line, on: thread)
            }
        }
        thread.state.pointee.nesting -= 1
    }
}
