import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@testable import AshlarLogging

@Suite struct SinkTests {
    @Test("A sink receives every record that passes its own threshold, after the line is in the file")
    func receives() {
        let capturing = RecordingSink()
        let seen = Mutex<[Bool]>([])
        let pipeline = Mutex<LogPipeline?>(nil)
        let after = ClosureSink { record in
            let live = pipeline.withLock { $0 }.map { String(decoding: $0.liveBytes(limit: nil), as: UTF8.self) } ?? ""
            let isInFile = live.contains(record.message)
            seen.withLock { $0.append(isInFile) }
            return true
        }
        let errors = RecordingSink()
        let onlyErrors = ClosureSink(threshold: .error) { errors.receive($0) }
        let system = TestSystem { $0.sinks = [capturing, after, onlyErrors] }
        pipeline.withLock { $0 = system.pipeline }
        let log = system.log("Ctx")
        log.indent(true).error("bad \(1)", ["k": 2])
        log.indent(false).debug("fine")
        let records = capturing.records
        #expect(records.map(\.message) == ["bad 1", "fine"])
        #expect(records.map(\.depth) == [1, 0])
        #expect(records[0].level == .error && records[0].context == "Ctx")
        #expect(records[0].fields["k"] == .integer(2))
        #expect(records[0].file.hasSuffix("SinkTests.swift") && records[0].function == "receives()")
        #expect(records[0].sequence == 1 && records[1].sequence == 2)
        #expect(abs(Double(records[0].time.nanoseconds) / 1e9 - Date().timeIntervalSince1970) < 60)
        #expect(errors.records.map(\.message) == ["bad 1"])
        #expect(seen.withLock { $0 } == [true, true])
        #expect(records.map { $0.formatted(as: .myLogger) } == ["  [ERROR] Ctx - bad 1 k=2", "[DEBUG] Ctx - fine"])
    }

    /// A sink whose release uses the log, as user code can.
    private final class ReleasedSink: LogSink {
        let pipeline: LogPipeline
        let messages = Mutex<[String]>([])
        let released: @Sendable () -> Void

        init(_ pipeline: LogPipeline, released: @escaping @Sendable () -> Void) {
            self.pipeline = pipeline
            self.released = released
        }

        deinit {
            pipeline.detach(pipeline.attach(RecordingSink()))
            released()
        }

        func receive(_ record: LogRecord) -> Bool {
            messages.withLock { $0.append(record.message) }
            return true
        }
    }

    @Test(
        "An attached sink receives the lines of later configurations, too, until it is detached and released outside of locks"
    )
    func attached() throws {
        let releases = Mutex(0)
        let configured = RecordingSink()
        let system = TestSystem { $0.sinks = [configured] }
        system.log().info("before")
        var sink: ReleasedSink? = ReleasedSink(system.pipeline) { releases.withLock { $0 += 1 } }
        let number = system.pipeline.attach(try #require(sink))
        system.log().info("first")
        _ = system.pipeline.start(LogConfiguration(folder: nil, sinks: []))
        system.log().info("second")
        #expect(sink?.messages.withLock { $0 } == ["first", "second"])
        #expect(configured.records.map(\.message) == ["before", "first"])
        sink = nil
        #expect(releases.withLock { $0 } == 0)
        system.pipeline.detach(number)
        system.pipeline.detach(number)
        #expect(releases.withLock { $0 } == 1)
        system.log().info("third")
    }

    @Test("Each attached sink is detached alone")
    func detached() {
        let system = TestSystem()
        let sinks = (0..<3).map { _ in RecordingSink() }
        let numbers = sinks.map { system.pipeline.attach($0) }
        system.log().info("first")
        system.pipeline.detach(numbers[1])
        system.log().info("second")
        #expect(sinks.map { $0.records.map(\.message) } == [["first", "second"], ["first"], ["first", "second"]])
    }

    @Test("Lines that a sink logs go to the run file only")
    func sinkThatLogs() {
        let count = Atomic<Int>(0)
        let log = Mutex<Log?>(nil)
        let sink = ClosureSink { record in
            count.add(1, ordering: .relaxed)
            _ = log.withLock { $0 }?.info("about \(record.message)")
            return true
        }
        let system = TestSystem { $0.sinks = [sink] }
        log.withLock { $0 = system.log("Sink") }
        for index in 1...3 { system.log().info("line \(index)") }
        #expect(count.load(ordering: .relaxed) == 3)
        #expect(system.lines.count == 6)
        #expect(system.lines[1] == "[INFO] Sink - about line 1")
    }

    @Test("A sink that fails receives the next line, too, and each failure is counted")
    func failing() {
        let calls = Atomic<Int>(0)
        let sink = ClosureSink { _ in calls.add(1, ordering: .relaxed).newValue % 3 == 0 }
        let system = TestSystem { $0.sinks = [sink] }
        for _ in 0..<30 { system.log().info("x") }
        #expect(calls.load(ordering: .relaxed) == 30)
        #expect(system.counters.failedInSinks == 20)
        #expect(system.lines.count { $0.hasPrefix("[INFO] A - x") } == 30)
    }

    @Test("A sink that is created while its stream is closed never writes to a file that gets the number")
    func closedStream() throws {
        let number: Int32 = 900
        try #require(fcntl(number, F_GETFD) == -1)
        let sink = StandardErrorSink(descriptor: number, format: .myLogger, isColored: false)
        let folder = TemporaryFolder()
        try folder.make()
        let file = open(folder.file("precious"), O_CREAT | O_RDWR, 0o600)
        try #require(file >= 0 && dup2(file, number) == number)
        defer {
            close(file)
            close(number)
        }
        #expect(!sink.receive(.notice("x")))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("precious"))).isEmpty)
    }

    @Test("The first failure of each sink is a warning in the run file and in the other sinks")
    func firstFailure() {
        let recording = RecordingSink()
        let fails = Atomic<Bool>(false)
        let flaky = ClosureSink { _ in !fails.load(ordering: .relaxed) }
        let system = TestSystem { $0.sinks = [flaky, recording, FileSink(path: "/dev/null/a/b.log")] }
        for fail in [false, true, false, true] {
            fails.store(fail, ordering: .relaxed)
            system.log().info("x")
        }
        let warning = "failed to receive a line; later failures are only counted"
        let warnings = ["FileSink", "ClosureSink"].map { "\($0) \(warning)" }
        #expect(system.lines.filter { !$0.hasSuffix(" - x") } == warnings.map { "[WARNING] AshlarLogging - \($0)" })
        #expect(recording.records.map(\.message).filter { $0 != "x" } == warnings)
    }

    /// A sink that counts the arrays of bytes it receives.
    private final class SharingSink: LineSink {
        let format: LogFormat?
        private let stored = Guarded<[[UInt8]]>([])

        init(_ format: LogFormat) { self.format = format }

        var lines: [[UInt8]] { stored.withLock { $0 } }

        func write(_ line: [UInt8], of record: LogRecord) -> Bool {
            stored.withLock { $0.append(line) }
            return true
        }
    }

    @Test("Sinks with the format of the run file receive its bytes; others receive their own format")
    func sharedFormat() throws {
        let (same, also, other) = (SharingSink(.myLogger), SharingSink(.myLogger), SharingSink(.logfmt))
        let system = TestSystem { $0.sinks = [other, same, also] }
        system.log().info("one", ["k": 1])
        #expect(system.live == "[INFO] A - one k=1\n")
        for sink in [same, also] { #expect(sink.lines == [Array(system.live.utf8)]) }
        func address(_ sink: SharingSink) -> UnsafeRawPointer? {
            sink.lines[0].withUnsafeBytes(\.baseAddress)
        }
        #expect(address(same) == address(also) && address(same) != address(other))
        #expect(String(decoding: other.lines[0], as: UTF8.self).hasSuffix(" context=A msg=one k=1\n"))
    }

    @Test("The newest lines behave like an array that drops whole lines at its front")
    func ringModel() {
        var random = SeededRandom(seed: 21)
        var ring = BoundedQueue<[UInt8]>(capacity: 100)
        var model: [[UInt8]] = []
        for index in 0..<2000 {
            let line = Array(repeating: UInt8(97 + index % 26), count: .random(in: 0...110, using: &random)) + [10]
            var dropped = line.count > 100 ? 1 : 0
            if dropped == 0 {
                while model.reduce(line.count, { $0 + $1.count }) > 100 {
                    model.removeFirst()
                    dropped += 1
                }
                model.append(line)
            }
            #expect(ring.appendNewest(line) == dropped)
            #expect(ring.contents == Array(model.joined()))
        }
    }

    @Test("A capture doesn't change the file")
    func captureAndFile() {
        let system = TestSystem(threshold: .error)
        let sink = RecordingSink()
        let log = system.log()
        LogCapture(at: .debug) { _ = sink.receive($0) }.run(in: system.pipeline) {
            log.debug("captured only")
            log.error("both")
            log.verbose("neither")
        }
        log.debug("nowhere")
        #expect(sink.records.map(\.message) == ["captured only", "both"])
        #expect(system.lines == ["[ERROR] A - both"])
        #expect(!log.isEnabled(.debug))
    }

    @Test("A capture receives no line below its level, even if another capture does")
    func captureLevels() {
        let system = TestSystem(threshold: .error)
        let (outer, inner) = (RecordingSink(), RecordingSink())
        LogCapture(at: .debug) { _ = outer.receive($0) }.run(in: system.pipeline) {
            LogCapture(at: .warning) { _ = inner.receive($0) }.run(in: system.pipeline) {
                let log = system.log()
                log.debug("low")
                log.warning("high")
            }
        }
        #expect(outer.records.map(\.message) == ["low", "high"])
        #expect(inner.records.map(\.message) == ["high"])
    }

    @Test("With priorities, each line on standard error begins with that of its level, which systemd reads")
    func priorities() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let descriptor = open(folder.file("stream"), O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let sink = StandardErrorSink(
            descriptor: descriptor, format: .myLogger, isColored: false, hasPriorities: true)
        let system = TestSystem { $0.sinks = [sink] }
        for level in LogLevel.allCases { system.log().log(level, "one\ntwo") }
        let lines = try String(contentsOfFile: folder.file("stream"), encoding: .utf8).split(separator: "\n")
        let priorities: [LogLevel: Int] = [
            .unrecoverable: 1, .critical: 2, .error: 3, .warning: 4, .info: 5, .logging: 6, .debug: 7, .analytic: 7,
            .verbose: 7,
        ]
        let expected = try LogLevel.allCases.map { "<\(try #require(priorities[$0]))>[\($0)] A - one\\ntwo" }
        #expect(lines.map(String.init) == expected)
        // The run file has no priorities.
        #expect(system.lines.first == "[\(LogLevel.allCases[0])] A - one\\ntwo")
    }

    @Test("A filtered sink receives the lines that its thresholds enable for their context")
    func filtered() throws {
        let inner = RecordingSink()
        let sink = inner.filtered(by: try LogThresholds("warning,net=debug,net.cache=off"))
        #expect(sink.threshold == .debug)
        let system = TestSystem { $0.sinks = [sink] }
        for context in ["net", "net.http", "net.cache", "network"] {
            for level in [LogLevel.error, .info, .debug, .verbose] { system.log(context).log(level, "\(context)") }
        }
        #expect(
            inner.records.map { "\($0.context) \($0.level)" } == [
                "net ERROR", "net INFO", "net DEBUG", "net.http ERROR", "net.http INFO", "net.http DEBUG",
                "network ERROR",
            ])
    }
}
