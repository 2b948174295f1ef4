// The methods of the levels are written out because the check must be inlined into the call site.

extension Log {
    /// Writes a line of a level known at run time.
    ///
    /// - Parameters:
    ///   - level: The level of the line.
    ///   - message: The text, a literal; a string is interpolated. It isn't evaluated if the level is below the threshold.
    ///   - fields: Key and value pairs; they aren't evaluated if the level is below the threshold.
    ///   - file: The file of the call.
    ///   - function: The function of the call.
    ///   - line: The line of the call.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(level) { write(level, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/unrecoverable``: the app can't continue.
    @inlinable
    public func unrecoverable(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.unrecoverable) {
            write(.unrecoverable, message, fields, file, function, line)
        }
    }

    /// Writes a line of level ``LogLevel/critical``: a part of the app can't continue.
    @inlinable
    public func critical(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.critical) { write(.critical, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/error``: an operation failed.
    @inlinable
    public func error(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.error) { write(.error, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/warning``: a problem occurred, but the operation continued.
    @inlinable
    public func warning(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.warning) { write(.warning, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/info``: an event of interest to an operator.
    @inlinable
    public func info(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.info) { write(.info, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/info``; the same as `info`, with swift-log's name.
    @inlinable
    public func notice(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.info) { write(.info, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/logging``: a step of normal work.
    @inlinable
    public func logging(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.logging) { write(.logging, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/debug``: details for a developer.
    @inlinable
    public func debug(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.debug) { write(.debug, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/analytic``: figures and data for analysis.
    @inlinable
    public func analytic(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.analytic) { write(.analytic, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/verbose``: everything, including the steps of loops.
    @inlinable
    public func verbose(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.verbose) { write(.verbose, message, fields, file, function, line) }
    }

    /// Writes a line of level ``LogLevel/verbose``; the same as `verbose`, with swift-log's name.
    @inlinable
    public func trace(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        if isEnabled(.verbose) { write(.verbose, message, fields, file, function, line) }
    }
}
