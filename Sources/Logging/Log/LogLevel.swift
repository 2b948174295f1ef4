/// The severity of a line: nine levels, from the most severe (0) to the least (8).
///
/// The numbers and meanings are those of FTToolBox. A threshold enables a level and all more severe ones.
///
/// | level | number | FTToolBox | swift-log |
/// |---|---|---|---|
/// | ``unrecoverable`` | 0 | `FT_UNRECOVERABLE` | `critical` |
/// | ``critical`` | 1 | `FT_CRITICAL` | `critical` |
/// | ``error`` | 2 | `FT_ERROR` | `error` |
/// | ``warning`` | 3 | `FT_WARNING` | `warning` |
/// | ``info`` | 4 | `FT_INFORMATION` | `notice`, `info` |
/// | ``logging`` | 5 | `FT_LOGGING` | – |
/// | ``debug`` | 6 | `FT_DEBUGGING` | `debug` |
/// | ``analytic`` | 7 | `FT_ANALYTIC` | – |
/// | ``verbose`` | 8 | `FT_VERBOSE` | `trace` |
///
/// The default threshold ``info`` therefore shows the same lines of libraries that use swift-log as swift-log's own default.
public enum LogLevel: UInt8, Comparable, CaseIterable, Sendable {
    /// The app can't continue.
    case unrecoverable = 0
    /// A part of the app can't continue.
    case critical
    /// An operation failed.
    case error
    /// A problem occurred, but the operation continued.
    case warning
    /// An event of interest to an operator.
    case info
    /// A step of normal work.
    case logging
    /// Details for a developer.
    case debug
    /// Figures and data for analysis.
    case analytic
    /// Everything, including the steps of loops.
    case verbose

    /// Orders levels by number: `.error < .debug`.
    @inlinable
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The name in FTToolBox, such as `FT_DEBUGGING`.
    package var toolBoxName: String { toolBoxText.description }

    /// Parses a name or number, ignoring case and surrounding spaces.
    ///
    /// The method accepts the printed names (`INFO`), the names of FTToolBox (`FT_INFORMATION`), the numbers `0` to
    /// `8`, and common names of other loggers: `fatal`, `fault`, `err`, `warn`, `notice`, `log`, `trace`, `all`.
    public init?(name: String) {
        var key = name.lowercased()
        while key.first?.isWhitespace == true { key.removeFirst() }
        while key.last?.isWhitespace == true { key.removeLast() }
        if key.hasPrefix("ft_") { key.removeFirst(3) }
        switch key {
        case "0", "unrecoverable", "fatal", "fault", "emergency": self = .unrecoverable
        case "1", "critical", "crit": self = .critical
        case "2", "error", "err": self = .error
        case "3", "warning", "warn": self = .warning
        case "4", "information", "info", "notice": self = .info
        case "5", "logging", "log": self = .logging
        case "6", "debugging", "debug": self = .debug
        case "7", "analytic": self = .analytic
        case "8", "verbose", "trace", "all": self = .verbose
        default: return nil
        }
    }

    var printedName: StaticString {
        switch self {
        case .unrecoverable: "UNRECOVERABLE"
        case .critical: "CRITICAL"
        case .error: "ERROR"
        case .warning: "WARNING"
        case .info: "INFO"
        case .logging: "LOGGING"
        case .debug: "DEBUG"
        case .analytic: "ANALYTIC"
        case .verbose: "VERBOSE"
        }
    }

    var toolBoxText: StaticString {
        switch self {
        case .unrecoverable: "FT_UNRECOVERABLE"
        case .critical: "FT_CRITICAL"
        case .error: "FT_ERROR"
        case .warning: "FT_WARNING"
        case .info: "FT_INFORMATION"
        case .logging: "FT_LOGGING"
        case .debug: "FT_DEBUGGING"
        case .analytic: "FT_ANALYTIC"
        case .verbose: "FT_VERBOSE"
        }
    }
}

extension LogLevel: CustomStringConvertible {
    /// The name in a log line, such as `DEBUG`.
    public var description: String { printedName.description }
}

extension LogLevel {
    /// The number of levels in the program: 9, unless a package trait removes the less severe ones.
    ///
    /// The value is constant in the caller's code, so that the compiler removes calls of the other levels with their
    /// messages.
    @inlinable
    @inline(__always)
    static var compiledCount: UInt8 {
        #if AshlarLogUpToError
            3
        #elseif AshlarLogUpToWarning
            4
        #elseif AshlarLogUpToInformation
            5
        #elseif AshlarLogUpToLogging
            6
        #elseif AshlarLogUpToDebugging
            7
        #else
            9
        #endif
    }
}
