import AshlarLogging
import AshlarOriginals
import AshlarTestSupport
import Testing

extension Samples {
    /// The calls of FTToolBox and SquidKit under their original names.
    @Suite struct LoggingParityTests {
        @Test("FTToolBox and SquidKit: the log, the log of the prior run, the severity, the output")
        func calls() {
            let folder = TemporaryFolder()
            defer {
                LogSystem.shutdown()
                LogSystem.start(LogConfiguration(sinks: []))
            }
            for prior in ["", "[ERROR] A - one\n"] {
                var configuration = LogConfiguration(folder: folder.path, threshold: .verbose, sinks: [])
                configuration.format = .myLogger
                configuration.readsEnvironment = false
                LogSystem.start(configuration)
                #expect(FTToolBox.FTgetCrashLogAsString() == prior)
                #expect(FTToolBox.FTsetLogSeverity(.error) == "FT_ERROR")
                let log = Log("A")
                log.error("one")
                log.warning("below")
                LogSystem.isEnabled = false
                log.error("two")
                LogSystem.isEnabled = true
                #expect(FTToolBox.FTgetLogAsString() == "[ERROR] A - one\n")
                LogSystem.shutdown()
            }
        }

        @Test("MyLogger: setFormat changes the pattern only")
        func format() throws {
            let before = LogSystem.format
            defer { LogSystem.format = before }
            LogSystem.format.indentCharacter = "-"
            try MyLogger.setFormat("%@[%@] %@ - %@")
            #expect(LogSystem.format.indentCharacter == "-")
            #expect(throws: LogError.self) { try MyLogger.setFormat("%@") }
        }

        @Test(
            "FTToolBox: the levels are numbered from 0 to 8",
            arguments: [
                [
                    FT_UNRECOVERABLE, FT_CRITICAL, FT_ERROR, FT_WARNING, FT_INFORMATION, FT_LOGGING, FT_DEBUGGING,
                    FT_ANALYTIC, FT_VERBOSE,
                ],
                [
                    .FT_UNRECOVERABLE, .FT_CRITICAL, .FT_ERROR, .FT_WARNING, .FT_INFORMATION, .FT_LOGGING,
                    .FT_DEBUGGING, .FT_ANALYTIC, .FT_VERBOSE,
                ],
            ])
        func levels(levels: [LogLevel]) {
            #expect(levels.map(\.rawValue) == Array(0...8))
            #expect(levels == LogLevel.allCases)
        }
    }
}
