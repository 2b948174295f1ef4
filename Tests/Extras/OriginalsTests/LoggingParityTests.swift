import AshlarLogging
import AshlarOriginals
import AshlarTestSupport
import Testing

/// The calls of FTToolBox and SquidKit under their original names.
@Suite(.serialized) struct LoggingParityTests {
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
            #expect(LogSystem.crashLogAsString == prior)
            #expect(LogSystem.setLogSeverity(.error) == "FT_ERROR")
            let log = Log("A")
            log.error("one")
            log.warning("below")
            LogSystem.setOutput(.never)
            log.error("two")
            LogSystem.setOutput(.always)
            #expect(LogSystem.logAsString == "[ERROR] A - one\n")
            LogSystem.shutdown()
        }
    }

    @Test("MyLogger: setFormat changes the pattern only")
    func format() throws {
        let before = LogSystem.format
        defer { LogSystem.format = before }
        LogSystem.format.indentCharacter = "-"
        try LogSystem.setFormat("%@[%@] %@ - %@")
        #expect(LogSystem.format.indentCharacter == "-")
        #expect(throws: LogError.self) { try LogSystem.setFormat("%@") }
    }

    @Test("FTToolBox: names of levels", arguments: [(LogLevel.information, LogLevel.info), (.debugging, .debug)])
    func levels(original: LogLevel, level: LogLevel) { #expect(original == level) }

    @Test("SquidKit: the simulator preset is off on other systems")
    func output() {
        #expect(LogSystem.Output.always.isEnabled && !LogSystem.Output.never.isEnabled)
        #if !targetEnvironment(simulator)
            #expect(!LogSystem.Output.simulator.isEnabled)
        #endif
    }
}
