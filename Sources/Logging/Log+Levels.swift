// Each level has two methods: one for literals, whose bytes are collected without a `String`, and one for strings known
// at run time. They are written out because the check must be inlined into the call site.

extension Log {
    /// Writes a line of a level known at run time.
    ///
    /// - Parameters:
    ///   - level: The level of the line.
    ///   - message: The text; it isn't evaluated if the level is below the threshold.
    ///   - fields: Key and value pairs; they aren't evaluated if the level is below the threshold.
    ///   - file: The file of the call.
    ///   - function: The function of the call.
    ///   - line: The line of the call.
    @inlinable
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(level), core.begin() { emit(level, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line with a level and a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func log<Text: StringProtocol>(
        _ level: LogLevel, _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(level), core.begin() { emit(level, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/unrecoverable``: the app can't continue.
    @inlinable
    public func unrecoverable(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.unrecoverable), core.begin() {
            emit(.unrecoverable, message(), fields(), at: .init(file, function, line))
        }
    }

    /// Writes a line of level ``LogLevel/unrecoverable`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func unrecoverable<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.unrecoverable), core.begin() {
            emit(.unrecoverable, message(), fields(), at: .init(file, function, line))
        }
    }

    /// Writes a line of level ``LogLevel/critical``: a part of the app can't continue.
    @inlinable
    public func critical(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.critical), core.begin() { emit(.critical, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/critical`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func critical<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.critical), core.begin() { emit(.critical, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/error``: an operation failed.
    @inlinable
    public func error(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.error), core.begin() { emit(.error, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/error`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func error<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.error), core.begin() { emit(.error, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/warning``: a problem occurred, but the operation continued.
    @inlinable
    public func warning(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.warning), core.begin() { emit(.warning, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/warning`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func warning<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.warning), core.begin() { emit(.warning, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/info``: an event of interest to an operator.
    @inlinable
    public func info(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.info), core.begin() { emit(.info, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/info`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func info<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.info), core.begin() { emit(.info, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/info``; the same as `info`, with swift-log's name.
    @inlinable
    public func notice(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.info), core.begin() { emit(.info, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/logging``: a step of normal work.
    @inlinable
    public func logging(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.logging), core.begin() { emit(.logging, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/logging`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func logging<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.logging), core.begin() { emit(.logging, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/debug``: details for a developer.
    @inlinable
    public func debug(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.debug), core.begin() { emit(.debug, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/debug`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func debug<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.debug), core.begin() { emit(.debug, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/analytic``: figures and data for analysis.
    @inlinable
    public func analytic(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.analytic), core.begin() { emit(.analytic, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/analytic`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func analytic<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.analytic), core.begin() { emit(.analytic, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/verbose``: everything, including the steps of loops.
    @inlinable
    public func verbose(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.verbose), core.begin() { emit(.verbose, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/verbose`` with a string known at run time; nil writes nothing.
    @inlinable
    @_disfavoredOverload
    public func verbose<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.verbose), core.begin() { emit(.verbose, message(), fields(), at: .init(file, function, line)) }
    }

    /// Writes a line of level ``LogLevel/verbose``; the same as `verbose`, with swift-log's name.
    @inlinable
    public func trace(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) {
        if isEnabled(.verbose), core.begin() { emit(.verbose, message(), fields(), at: .init(file, function, line)) }
    }
}
