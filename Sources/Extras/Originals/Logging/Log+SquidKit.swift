public import AshlarLogging

/// SquidKit's `Log`, whose lines have the level `logging` and the class of the file as their context.
///
/// The default threshold `info` hides them; set `LogSystem.threshold = .logging` to see them.
extension Log {
    /// Logs a text.
    public static func print(
        _ output: @autoclosure () -> LogMessage, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        Log(nameOfClass(inFile: file)).log(.logging, output(), file: file, function: function, line: line)
    }

    /// Logs a value, or nothing for nil.
    @_disfavoredOverload
    public static func print<Value>(
        _ output: @autoclosure () -> Value?, file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        let log = Log(nameOfClass(inFile: file))
        guard log.isEnabled(.logging), let value = output() else { return }
        log.log(.logging, "\(value)", file: file, function: function, line: line)
    }

    /// Logs a text, or nothing for nil.
    public static func message(
        _ message: @autoclosure () -> String?, file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        print(message(), file: file, function: function, line: line)
    }
}
