// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AshlarCustomization
public import AshlarLogging

/// FTToolBox: the log of an app, with the log of the prior run.
public enum FTToolBox {
    /// Starts the log in FTToolBox's format, by default in the platform's folder for logs; see `LogSystem.start(_:)`.
    public static func FTinitializeLog(_ debugFlag: Bool, atLevel threshold: LogLevel, folder: String? = nil) {
        var configuration = LogConfiguration(threshold: threshold)
        configuration.folder = folder ?? LogConfiguration.defaultFolder(application: configuration.application)
        configuration.format = .ftToolBox
        configuration.isEnabled = debugFlag
        LogSystem.start(configuration)
    }

    /// Sets the threshold, and returns its name, such as `FT_ERROR`; see `LogSystem.threshold`.
    @discardableResult
    public static func FTsetLogSeverity(_ threshold: LogLevel) -> String {
        LogSystem.threshold = threshold
        return threshold.row.toolBox
    }

    /// Returns the log of this run; see `LogSystem.liveLog`.
    public static func FTgetLogAsString() -> String { LogSystem.liveLog }

    /// Returns the log of the prior run, whether it crashed or not, or an empty string; see `LogSystem.priorRun`.
    public static func FTgetCrashLogAsString() -> String { LogSystem.priorRun?.log ?? "" }
}

/// Logs a line with the class and the method of the call.
///
/// The format is C's `printf` with `%@`, as in `CustomizationMessage`. The class is `type`, or the name of the file
/// up to its first `.` or `+`.
public func FT_LOGG(
    _ level: LogLevel, _ format: String, _ arguments: any FormatArgument..., in type: Any.Type? = nil,
    file: String = #fileID, function: String = #function, line: UInt = #line
) {
    let log = Log(type.map { String(describing: $0) } ?? Log.nameOfClass(inFile: file))
    log.write(level, format, arguments, file: file, function: function, line: line)
}

/// The level `unrecoverable`, 0.
public let FT_UNRECOVERABLE: LogLevel = .unrecoverable
/// The level `critical`, 1.
public let FT_CRITICAL: LogLevel = .critical
/// The level `error`, 2.
public let FT_ERROR: LogLevel = .error
/// The level `warning`, 3.
public let FT_WARNING: LogLevel = .warning
/// The level `info`, 4.
public let FT_INFORMATION: LogLevel = .info
/// The level `logging`, 5.
public let FT_LOGGING: LogLevel = .logging
/// The level `debug`, 6.
public let FT_DEBUGGING: LogLevel = .debug
/// The level `analytic`, 7.
public let FT_ANALYTIC: LogLevel = .analytic
/// The level `verbose`, 8.
public let FT_VERBOSE: LogLevel = .verbose

/// The names of levels with a dot, as in `FT_LOGG(.FT_DEBUGGING, "…")`.
extension LogLevel {
    /// The level `unrecoverable`.
    public static let FT_UNRECOVERABLE: LogLevel = .unrecoverable
    /// The level `critical`.
    public static let FT_CRITICAL: LogLevel = .critical
    /// The level `error`.
    public static let FT_ERROR: LogLevel = .error
    /// The level `warning`.
    public static let FT_WARNING: LogLevel = .warning
    /// The level `info`.
    public static let FT_INFORMATION: LogLevel = .info
    /// The level `logging`.
    public static let FT_LOGGING: LogLevel = .logging
    /// The level `debug`.
    public static let FT_DEBUGGING: LogLevel = .debug
    /// The level `analytic`.
    public static let FT_ANALYTIC: LogLevel = .analytic
    /// The level `verbose`.
    public static let FT_VERBOSE: LogLevel = .verbose
}

extension Log {
    /// Returns the name of the class that a file contains: `View` for `App/View.swift` and `App/View+Log.swift`.
    static func nameOfClass(inFile file: String) -> String {
        String((file.split(separator: "/").last ?? "").prefix { $0 != "." && $0 != "+" })
    }

    /// Writes a formatted line; the text isn't formatted if the level is below the threshold.
    func write(
        _ level: LogLevel, _ format: String, _ arguments: [any FormatArgument], file: String, function: String,
        line: UInt
    ) {
        guard isEnabled(level) else { return }
        let text = CustomizationMessage(format).formatted(arguments.map(\.formatValue)).text
        logRaw(level, text, function: function, file: file, line: line)
    }
}
