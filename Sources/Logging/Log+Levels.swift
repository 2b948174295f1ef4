// One pair of methods per level, all alike: the first takes a literal, whose bytes are collected without a `String`; the
// second takes text known at run time only. They are written out because a call site must stay one call, and the check
// has to be inlined into it.

extension Log {
    /// Writes a line of a level that is known at run time only.
    ///
    /// - Parameters:
    ///   - level: The level of the line.
    ///   - message: The text; not evaluated if the level is below the threshold.
    ///   - fields: Key and value pairs; not evaluated either.
    ///   - file: Left to the compiler.
    ///   - function: Left to the compiler.
    ///   - line: Left to the compiler.
    /// - Returns: The logger, for `indent`.
    @inlinable
    @discardableResult
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> LogMessage,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(level), core.begin() { core.emit(level, message(), fields(), file, function, line) }
        return self
    }

    /// Writes a line of a level and text that are known at run time only; no text, no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func log<Text: StringProtocol>(
        _ level: LogLevel, _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(level), core.begin() {
            core.emit(level, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/unrecoverable``: the app cannot go on.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func unrecoverable(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.unrecoverable), core.begin() {
            core.emit(.unrecoverable, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/unrecoverable`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func unrecoverable<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.unrecoverable), core.begin() {
            core.emit(.unrecoverable, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/critical``: a part of the app cannot go on.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func critical(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.critical), core.begin() {
            core.emit(.critical, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/critical`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func critical<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.critical), core.begin() {
            core.emit(.critical, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/error``: a piece of work failed.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func error(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.error), core.begin() {
            core.emit(.error, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/error`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func error<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.error), core.begin() {
            core.emit(.error, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/warning``: something is off, and the work went on.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func warning(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.warning), core.begin() {
            core.emit(.warning, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/warning`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func warning<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.warning), core.begin() {
            core.emit(.warning, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/information``: what an operator wants to know.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func info(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.information), core.begin() {
            core.emit(.information, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/information`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func info<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.information), core.begin() {
            core.emit(.information, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/logging``: what happens in the course of the work.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func logging(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.logging), core.begin() {
            core.emit(.logging, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/logging`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func logging<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.logging), core.begin() {
            core.emit(.logging, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/debugging``: what a developer wants to know.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func debug(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.debugging), core.begin() {
            core.emit(.debugging, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/debugging`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func debug<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.debugging), core.begin() {
            core.emit(.debugging, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/analytic``: figures and data for a close look.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func analytic(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.analytic), core.begin() {
            core.emit(.analytic, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/analytic`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func analytic<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.analytic), core.begin() {
            core.emit(.analytic, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/verbose``: everything, also inside loops.
    ///
    /// Message and fields are not evaluated if the level is below the threshold.
    @inlinable
    @discardableResult
    public func verbose(
        _ message: @autoclosure () -> LogMessage, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.verbose), core.begin() {
            core.emit(.verbose, message(), fields(), file, function, line)
        }
        return self
    }

    /// Writes a line of level ``LogLevel/verbose`` with text known at run time only; no text (`nil`), no line.
    @inlinable
    @_disfavoredOverload
    @discardableResult
    public func verbose<Text: StringProtocol>(
        _ message: @autoclosure () -> Text?, _ fields: @autoclosure () -> LogFields = LogFields(),
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
    ) -> Log {
        if isEnabled(.verbose), core.begin() {
            core.emit(.verbose, message().map { String($0) }, fields(), file, function, line)
        }
        return self
    }
}
