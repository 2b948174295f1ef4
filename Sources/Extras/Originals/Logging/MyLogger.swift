// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import AshlarCore
public import AshlarCustomization
public import AshlarLogging

/// MyLogger's name of a level.
public typealias MyLoggerLevel = LogLevel
/// MyLogger's level ERROR; the others are `.warning`, `.info` and `.debug`.
public let LogLevelError: MyLoggerLevel = .error

/// MyLogger: a logger with a context, whose calls form chains.
///
/// The class properties are those of `LogSystem`, which all loggers share. Unlike in MyLogger, the threshold before the
/// first change is `info`, and each task has its own indent.
public struct MyLogger: Sendable, CustomStringConvertible {
    private var log: Log

    /// Creates a logger with its own level, by default the current ``defaultLoggingLevel``.
    public init(context: String, logLevel: MyLoggerLevel = MyLogger.defaultLoggingLevel) {
        log = Log(context, level: logLevel)
    }

    private static let pattern = Mutex("%@[%@] %@ - %@")

    /// The level of later loggers: the threshold of `LogSystem`.
    public static var defaultLoggingLevel: MyLoggerLevel {
        get { LogSystem.threshold }
        set { LogSystem.threshold = newValue }
    }
    /// The character of the indent, in the format of `LogSystem`.
    public static var indentChar: Character {
        get { LogSystem.format.indentCharacter }
        set { LogSystem.format.indentCharacter = newValue }
    }
    /// The number of characters of a level of indent, in the format of `LogSystem`.
    public static var numberOfIndentChars: Int {
        get { LogSystem.format.indentWidth }
        set { LogSystem.format.indentWidth = newValue }
    }

    /// The pattern that ``setFormat(_:)`` has set last; by default `%@[%@] %@ - %@`: indent, level, context, message.
    public static var format: String { pattern.withLock { $0 } }

    /// Sets the pattern of `LogSystem.format` without changing indent and time style; a malformed one is an error.
    public static func setFormat(_ aFormat: String) throws {
        LogSystem.format = try LogSystem.format.replacing(pattern: aFormat)
        pattern.withLock { $0 = aFormat }
    }

    /// The level of the logger; copies share it.
    public var level: MyLoggerLevel {
        get { log.level ?? Self.defaultLoggingLevel }
        nonmutating set { log.level = newValue }
    }
    /// The context of the logger's lines.
    public var context: String {
        get { log.context }
        set { log = Log(newValue, level: log.level) }
    }
    /// The level and the context.
    public var description: String { "Mylogger instance - level: \(level), context: \(context)" }

    /// Changes the depth of the following lines of all loggers by one level.
    @discardableResult
    public func indent(_ deeper: Bool) -> MyLogger {
        log.indent(deeper)
        return self
    }

    /// Logs a line of the level DEBUG; the format is that of ``FT_LOGG(_:_:_:in:file:function:line:)``.
    @discardableResult
    public func debug(
        _ format: String, _ arguments: any FormatArgument..., file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) -> MyLogger { write(.debug, format, arguments, file, function, line) }

    /// Logs a line of the level INFO.
    @discardableResult
    public func info(
        _ format: String, _ arguments: any FormatArgument..., file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) -> MyLogger { write(.info, format, arguments, file, function, line) }

    /// Logs a line of the level WARNING.
    @discardableResult
    public func warning(
        _ format: String, _ arguments: any FormatArgument..., file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) -> MyLogger { write(.warning, format, arguments, file, function, line) }

    /// Logs a line of the level ERROR.
    @discardableResult
    public func error(
        _ format: String, _ arguments: any FormatArgument..., file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) -> MyLogger { write(.error, format, arguments, file, function, line) }

    private func write(
        _ level: LogLevel, _ format: String, _ arguments: [any FormatArgument], _ file: String, _ function: String,
        _ line: UInt
    ) -> MyLogger {
        log.write(level, format, arguments, file: file, function: function, line: line)
        return self
    }
}
