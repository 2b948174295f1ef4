import AshlarLogging
import AshlarTestSupport
import Testing

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
        #expect(level.toolBoxName == toolBox)
        for spelling in [name, name.lowercased(), toolBox, "\(number)", "  \(name)\t", toolBox.lowercased()] {
            #expect(LogLevel(name: spelling) == level, "\(spelling)")
        }
    }

    @Test(
        "Names of other loggers are accepted, other names are not",
        arguments: [
            ("warn", LogLevel.warning), ("err", .error), ("fatal", .unrecoverable), ("fault", .unrecoverable),
            ("notice", .info), ("trace", .verbose), ("debugging", .debug), ("information", .info),
            ("", nil), ("9", nil), ("-1", nil), ("off", nil), ("debugg", nil), ("ft_", nil), ("de bug", nil),
        ])
    func aliases(name: String, level: LogLevel?) { #expect(LogLevel(name: name) == level) }

    @Test("A lower number is more severe")
    func order() {
        #expect(LogLevel.error < .warning)
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.allCases.count == 9)
    }
}
