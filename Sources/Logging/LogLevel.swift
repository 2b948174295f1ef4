/// How severe a line is: nine levels, a lower number is more severe.
///
/// Numbers and meaning are those of FTToolBox (`FT_UNRECOVERABLE` 0 to `FT_VERBOSE` 8); four of the printed names are
/// those of MyLogger. A threshold lets a level through together with all more severe ones.
public enum LogLevel: UInt8, Comparable, CaseIterable, Sendable {
    /// The app cannot go on.
    case unrecoverable = 0
    /// A part of the app cannot go on.
    case critical
    /// A piece of work failed.
    case error
    /// Something is off, and the work went on.
    case warning
    /// What an operator wants to know.
    case information
    /// What happens in the course of the work.
    case logging
    /// What a developer wants to know.
    case debugging
    /// Figures and data for a close look.
    case analytic
    /// Everything, also inside loops.
    case verbose

    /// Orders levels by their number: `.error < .debugging`.
    @inlinable
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The name in a log line, such as `DEBUG`.
    public var name: String { printedName.description }

    /// The name in FTToolBox, such as `FT_DEBUGGING`.
    public var toolBoxName: String { toolBoxText.description }

    /// The level of a name or number, without regard to case; `nil` if there is none.
    ///
    /// Understands the printed names (`DEBUG`), the case names (`debugging`), those of FTToolBox (`FT_DEBUGGING`), the
    /// numbers `0` to `8`, and what other loggers call them: `fatal`, `fault`, `err`, `warn`, `info`, `notice`, `log`,
    /// `trace`, `all`. Surrounding spaces do not count.
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
        case "4", "information", "info", "notice": self = .information
        case "5", "logging", "log": self = .logging
        case "6", "debugging", "debug": self = .debugging
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
        case .information: "INFO"
        case .logging: "LOGGING"
        case .debugging: "DEBUG"
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
        case .information: "FT_INFORMATION"
        case .logging: "FT_LOGGING"
        case .debugging: "FT_DEBUGGING"
        case .analytic: "FT_ANALYTIC"
        case .verbose: "FT_VERBOSE"
        }
    }
}

extension LogLevel: CustomStringConvertible {
    /// The printed name, such as `DEBUG`.
    public var description: String { name }
}
