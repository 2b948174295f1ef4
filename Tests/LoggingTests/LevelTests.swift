import AshlarTestSupport
import Testing

@testable import AshlarLogging

@Suite struct LevelTests {
    @Test(
        "Numbers, printed names and FTToolBox names are those of FTToolBox and MyLogger",
        arguments: [
            (LogLevel.unrecoverable, 0, "UNRECOVERABLE", "FT_UNRECOVERABLE"),
            (.critical, 1, "CRITICAL", "FT_CRITICAL"), (.error, 2, "ERROR", "FT_ERROR"),
            (.warning, 3, "WARNING", "FT_WARNING"), (.info, 4, "INFO", "FT_INFORMATION"),
            (.logging, 5, "LOGGING", "FT_LOGGING"), (.debug, 6, "DEBUG", "FT_DEBUGGING"),
            (.analytic, 7, "ANALYTIC", "FT_ANALYTIC"), (.verbose, 8, "VERBOSE", "FT_VERBOSE"),
        ])
    func names(level: LogLevel, number: Int, name: String, toolBox: String) {
        #expect(Int(level.rawValue) == number)
        #expect(level.description == name)
        #expect("\(level)" == name)
        #expect(level.row.toolBox == toolBox)
        for spelling in [name, name.lowercased(), toolBox, "\(number)", "  \(name)\t", toolBox.lowercased()] {
            #expect(LogLevel(name: spelling) == level, "\(spelling)")
        }
    }

    @Test(
        "Names of other loggers are accepted, other names are not",
        arguments: [
            ("warn", LogLevel.warning), ("err", .error), ("fatal", .unrecoverable), ("fault", .unrecoverable),
            ("notice", .notice), ("trace", .trace), ("Warn", .warning), ("debugging", .debug), ("information", .info),
            ("", nil), ("9", nil), ("-1", nil), ("off", nil), ("debugg", nil), ("ft_", nil), ("de bug", nil),
        ])
    func aliases(name: String, level: LogLevel?) { #expect(LogLevel(name: name) == level) }

    @Test("A lower number is more severe")
    func order() {
        #expect(LogLevel.error < .warning)
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.allCases.last == .leastSevere)
        #expect(LogLevel.notice == .info && LogLevel.trace == .verbose)
    }

    @Test("Each level has a row of its own whose severities don't rise", arguments: LogLevel.allCases)
    func rows(level: LogLevel) {
        let row = level.row
        let others = LogLevel.allCases.filter { $0 != level }
        #expect(!others.map(\.row.name).contains(row.name) && !others.map(\.row.short).contains(row.short))
        #expect(row.short.count <= 5 && (1...24).contains(row.openTelemetry) && (1...7).contains(row.syslog))
        #expect([17, 16, 0, 1, 2].contains(row.unified))
        for other in others where other > level {
            #expect(other.row.openTelemetry < row.openTelemetry && other.row.syslog >= row.syslog, "\(other)")
        }
        for name in [row.name, row.short, row.toolBox, "\(level.rawValue)"] { #expect(LogLevel(name: name) == level) }
        let printed = LogRecord.notice("m", level: level)
        #expect(
            printed.formatted(as: (try? LogFormat("{number}|{level}|{message}")) ?? .standard)
                == "\(level.rawValue)|\(row.name)|m")
    }
}
