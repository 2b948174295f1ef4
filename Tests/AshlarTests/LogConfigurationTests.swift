import Ashlar
import Testing

/// Each test runs in its own process, because a process has one set of thresholds.
@Suite struct LogConfigurationTests {
    #if os(Linux) || os(macOS)
        @Test("The section log sets the threshold, the contexts and the switch")
        func takesTheSection() async {
            await #expect(processExitsWith: .success) {
                let config = ApplicationConfig([
                    "log": [
                        "enabled": false, "threshold": "warning",
                        "contexts": ["network": "debug", "noise": "off", "*": "3", "app.net": "FT_VERBOSE"],
                    ]
                ])
                #expect(LogSystem.configure(from: config).isEmpty)
                #expect(!LogSystem.isEnabled)
                #expect(LogSystem.thresholds.global == .warning)
                let contexts: [String: LogLevel?] = [
                    "network": .debug, "noise": nil, "": .warning, "app.net": .verbose,
                ]
                #expect(LogSystem.thresholds.contexts == contexts)
            }
        }

        @Test("An absent section changes nothing")
        func absent() async {
            await #expect(processExitsWith: .success) {
                LogSystem.threshold = .analytic
                #expect(LogSystem.configure(from: ApplicationConfig(["title": "x"])).isEmpty)
                #expect(LogSystem.threshold == .analytic)
                #expect(LogSystem.isEnabled)
            }
        }

        @Test("A malformed value is reported with its key and changes nothing; the others apply")
        func reports() async {
            await #expect(processExitsWith: .success) {
                LogSystem.threshold = .error
                let config = ApplicationConfig([
                    "log": [
                        "threshold": "loud", "enabled": "perhaps", "contexts": ["a": "info", "b": 9, "c": ["d": 1]],
                    ]
                ])
                let problems = LogSystem.configure(from: config)
                #expect(
                    problems.map { $0.key?.description } == [
                        "log.threshold", "log.contexts.b", "log.contexts.c", "log.enabled",
                    ])
                #expect("\(problems[0])".contains("loud"))
                #expect("\(problems[0])".contains("unrecoverable, critical, error, warning"))
                #expect(LogSystem.threshold == .error)
                #expect(LogSystem.thresholds.contexts == ["a": .info])
                #expect(LogSystem.isEnabled)
            }
        }
    #endif

    @Test("A level is a configuration type")
    func levelAsType() throws {
        let config = ApplicationConfig(["level": "info", "number": 6, "bad": "x"])
        #expect(try config.get("level", as: LogLevel.self) == .info)
        #expect(try config.get("number", as: LogLevel.self) == .debug)
        #expect(throws: ConfigError.self) { try config.get("bad", as: LogLevel.self) }
    }
}
