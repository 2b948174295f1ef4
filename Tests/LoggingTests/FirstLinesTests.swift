import AshlarLogging
import Foundation
import Testing

extension SharedLogSystemTests {
    @Suite struct FirstLinesTests {
        let folder = TemporaryFolder()

        @Test("Lines are in the file when the call returns, in MyLogger's format")
        func lines() throws {
            let report = start(folder)
            let log = Log("Upload")
            log.debug("begins")
            log.warning("slow: \(3) of \(7)", ["host": "example.com"])
            let text = "run-time"
            log.info(text)
            log.error(text.prefix(3))
            let missing: String? = nil
            log.error(missing)
            guard case .file(let path) = report.storage else {
                Issue.record("no file: \(report)")
                return
            }
            let written = try String(contentsOfFile: path, encoding: .utf8)
            #expect(
                written == """
                    [DEBUG] Upload - begins
                    [WARNING] Upload - slow: 3 of 7 host=example.com
                    [INFO] Upload - run-time
                    [ERROR] Upload - run

                    """)
            #expect(LogSystem.liveLog == written)
            #expect(LogSystem.liveTail(bytes: 30) == "[ERROR] Upload - run\n")
        }

        @Test("The threshold is changed at run time, for loggers that exist already")
        func threshold() {
            _ = start(folder, threshold: .warning)
            let log = Log("A")
            log.info("one")
            LogSystem.threshold = .information
            log.info("two")
            LogSystem.isEnabled = false
            log.unrecoverable("three")
            LogSystem.isEnabled = true
            log.debug("four")
            log.level = .verbose
            log.verbose("five")
            #expect(LogSystem.liveLog == "[INFO] A - two\n[VERBOSE] A - five\n")
        }

        @Test("A disabled call evaluates neither message nor fields")
        func nothingEvaluated() {
            _ = start(folder, threshold: .warning)
            func never() -> Int {
                Issue.record("evaluated")
                return 0
            }
            Log("A").debug("\(never())", ["a": never()])
            Log("A").log(.verbose, String(never()))
        }

        @Test("indent(true) makes what follows deeper, as in the original's log")
        func indent() {
            _ = start(folder)
            let log = Log("A")
            log.debug("get").indent(true)
            log.debug("inner").indent(true)
            log.info("innermost")
            log.indent(false).indent(false).debug("get DONE")
            #expect(
                LogSystem.liveLog == """
                    [DEBUG] A - get
                      [DEBUG] A - inner
                        [INFO] A - innermost
                    [DEBUG] A - get DONE

                    """)
        }

        private func start(
            _ folder: TemporaryFolder, threshold: LogLevel = .verbose,
            _ change: (inout LogConfiguration) -> Void = { _ in }
        ) -> StartReport { SharedLogSystemTests.start(folder, threshold: threshold, change) }
    }
}
