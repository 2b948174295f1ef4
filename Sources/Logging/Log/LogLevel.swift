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
/// | ``info``, ``notice`` | 4 | `FT_INFORMATION` | `notice`, `info` |
/// | ``logging`` | 5 | `FT_LOGGING` | – |
/// | ``debug`` | 6 | `FT_DEBUGGING` | `debug` |
/// | ``analytic`` | 7 | `FT_ANALYTIC` | – |
/// | ``verbose``, ``trace`` | 8 | `FT_VERBOSE` | `trace` |
///
/// The default threshold ``info`` therefore shows the same lines of libraries that use swift-log as swift-log's own
/// default.
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

    /// Another name of ``info``, as in swift-log.
    public static var notice: LogLevel { .info }
    /// Another name of ``verbose``, as in swift-log.
    public static var trace: LogLevel { .verbose }
    /// The level whose threshold enables all lines.
    public static var leastSevere: LogLevel { .verbose }

    /// Orders levels by number: `.error < .debug`.
    @inlinable
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// Parses a name or number, ignoring case and surrounding spaces.
    ///
    /// The method accepts the printed names (`INFO`), the short names of ``ConsoleSink`` (`WARN`), the names of FTToolBox
    /// (`FT_INFORMATION`), the numbers `0` to `8`, and common names of other loggers: `emergency`, `fault`, `err`,
    /// `notice`, `trace`, `all`.
    public init?(name: String) {
        let key = name.lowercased().split(whereSeparator: \.isWhitespace)
        guard key.count == 1, let level = Self.allCases.first(where: { $0.row.isNamed(String(key[0]), $0.rawValue) })
        else { return nil }
        self = level
    }
}

extension LogLevel: CustomStringConvertible {
    /// The name in a log line, such as `DEBUG`.
    public var description: String { row.name }
}

extension LogLevel {
    /// All that depends on a level: a new one needs a case and a row.
    package struct Row: Sendable {
        /// The name in a line.
        package let name: String
        /// The name in the columns of a terminal.
        let short: String
        /// The name in FTToolBox, such as `FT_DEBUGGING`.
        package let toolBox: String
        /// Names of other loggers, separated by spaces.
        fileprivate let aliases: String
        /// The severity number of OpenTelemetry.
        package let openTelemetry: Int64
        /// The severity of syslog.
        ///
        /// The most severe level is 1 (alert) and not 0 (emergency), which is shown on every terminal of the machine.
        let syslog: Int
        /// The type in the unified log of Apple systems: 17 fault, 16 error, 0 default, 1 info, 2 debug.
        let unified: UInt8
        /// The escape sequence of the color on a terminal.
        let color: String

        fileprivate init(
            _ name: String, _ short: String, _ toolBox: String, _ aliases: String, openTelemetry: Int64, syslog: Int,
            unified: UInt8, color: String
        ) {
            self.name = name
            self.short = short
            self.toolBox = toolBox
            self.aliases = aliases
            self.openTelemetry = openTelemetry
            self.syslog = syslog
            self.unified = unified
            self.color = "\u{1B}[\(color)m"
        }

        fileprivate func isNamed(_ key: String, _ number: UInt8) -> Bool {
            key == "\(number)" || ([name, short, toolBox].map { $0.lowercased() }).contains(key)
                || aliases.split(separator: " ").contains { key == $0 || key == "ft_\($0)" }
        }
    }

    /// The row of the level.
    package var row: Row { Self.rows[Int(rawValue)] }

    private static let rows = allCases.map { level in
        switch level {
        case .unrecoverable:
            Row(
                "UNRECOVERABLE", "FATAL", "FT_UNRECOVERABLE", "fault emergency",
                openTelemetry: 24, syslog: 1, unified: 17, color: "1;31")
        case .critical:
            Row("CRITICAL", "CRIT", "FT_CRITICAL", "", openTelemetry: 21, syslog: 2, unified: 17, color: "1;31")
        case .error: Row("ERROR", "ERROR", "FT_ERROR", "err", openTelemetry: 17, syslog: 3, unified: 16, color: "31")
        case .warning: Row("WARNING", "WARN", "FT_WARNING", "", openTelemetry: 13, syslog: 4, unified: 16, color: "33")
        case .info:
            Row(
                "INFO", "INFO", "FT_INFORMATION", "information notice",
                openTelemetry: 10, syslog: 5, unified: 0, color: "32")
        case .logging: Row("LOGGING", "LOG", "FT_LOGGING", "", openTelemetry: 9, syslog: 6, unified: 1, color: "36")
        case .debug:
            Row("DEBUG", "DEBUG", "FT_DEBUGGING", "debugging", openTelemetry: 5, syslog: 7, unified: 2, color: "0")
        case .analytic: Row("ANALYTIC", "DATA", "FT_ANALYTIC", "", openTelemetry: 2, syslog: 7, unified: 2, color: "2")
        case .verbose:
            Row("VERBOSE", "VERB", "FT_VERBOSE", "trace all", openTelemetry: 1, syslog: 7, unified: 2, color: "2")
        }
    }
}

extension LogLevel {
    /// The number of levels in the program: all, unless a package trait removes the less severe ones.
    ///
    /// The value is constant in the caller's code, so that the compiler removes calls of the other levels with their
    /// messages.
    @inlinable
    @inline(__always)
    static var compiledCount: UInt8 {
        #if AshlarLogUpToError
            LogLevel.error.rawValue + 1
        #elseif AshlarLogUpToWarning
            LogLevel.warning.rawValue + 1
        #elseif AshlarLogUpToInformation
            LogLevel.info.rawValue + 1
        #elseif AshlarLogUpToLogging
            LogLevel.logging.rawValue + 1
        #elseif AshlarLogUpToDebugging
            LogLevel.debug.rawValue + 1
        #else
            .max
        #endif
    }
}
