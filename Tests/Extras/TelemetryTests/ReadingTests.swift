import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging
@testable import AshlarTelemetry

/// Parses the output of the formats.
@Suite struct ReadingTests {
    private static let fields: LogFields = [
        "bytes": 1024, "big": UInt64.max, "ratio": 0.25, "ok": true, "none": LogFieldValue.none,
        "text": "a \"b\" = c\\d",
        "lines": "one\ntwo\u{202E}", "mark": "a\u{61C}b", "timing": ["wait": 3, "read": -8],
    ]

    private func record(_ message: String, _ fields: LogFields, depth: Int = 2) -> LogRecord {
        LogRecord(
            sequence: 7, level: .logging, time: LogTime(nanoseconds: 1_795_132_800_123_000_000), depth: depth,
            context: "net.http", message: message, fields: fields, file: "App/Upload.swift", function: "run(a:)",
            line: 12, threadID: 4711)
    }

    private static let formats: [(String, LogFormat)] = [("standard", .standard), ("jsonLines", .jsonLines)]

    private static let messages = [
        "done", "", "  padded  ", "a - b - c", "[INFO] x - y", "quote \" in \"it\"", "\"quoted\"", "key=value",
        "x a=1 b",
        "a\\b C:\\new", "Grüße 👩‍👩‍👧", "a=", "=", "\"a=1\" b", "{\"a\":1}", "...[+3 fields]", "(+3) deep", "time=1",
    ]

    @Test("Every message is parsed unchanged in every format", arguments: formats.indices)
    func messages(index: Int) throws {
        let (name, format) = Self.formats[index]
        for message in Self.messages {
            let ownKeys: LogFields = ["level": "x", "msg": "y", "field.time": "z", "log.context": "c", "message": "m"]
            for fields in [[:], ["k": "v"], ["k": "a b=c"], ownKeys] as [LogFields] {
                let line = record(message, fields).formatted(as: format)
                let parsed = try #require(LineParser.parse(Array(line.utf8)), "\(name): \(line)")
                #expect(parsed.message == message, "\(name): \(line)")
                #expect(parsed.context == "net.http" && parsed.level == .logging, "\(name): \(line)")
                #expect(parsed.fields == fields, "\(name): \(line)")
            }
        }
    }

    @Test("Fields are parsed with their types from JSON, and as they look from text", arguments: formats.indices)
    func fields(index: Int) throws {
        let (name, format) = Self.formats[index]
        let line = record("x", Self.fields).formatted(as: format)
        let parsed = try #require(LineParser.parse(Array(line.utf8)), "\(name): \(line)")
        for (key, value) in [
            ("bytes", .integer(1024)), ("ratio", .float(0.25)), ("ok", .boolean(true)), ("big", .unsigned(.max)),
            ("none", .none), ("text", .string("a \"b\" = c\\d")), ("lines", .string("one\ntwo\u{202E}")),
            ("mark", .string("a\u{61C}b")),
        ] as [(String, LogFieldValue)] {
            #expect(parsed.fields[key] == value, "\(name) \(key): \(line)")
        }
        let query = Self.query { $0.fields = ["timing.wait": 3, "timing.read": "-8"] }
        #expect(query.matches(Self.line(parsed)), "\(name): \(line)")
    }

    @Test("JSON lines restore every member, and text what it prints, at any depth of the indent and any time")
    func members() throws {
        for depth in [0, 1, 64, 70] {
            let record = record("a: b. c", ["a": ["b": [1, 2]]], depth: depth)
            #expect(LineParser.parse(Array(record.formatted(as: .jsonLines).utf8))?.copy == record)
            let other = self.record("x", ["k": 1], depth: depth)
            var format = LogFormat.standard
            format.usesLocalTime = true
            format.hasMicroseconds = true
            for format in [LogFormat.standard, format] {
                let line = other.formatted(as: format)
                let parsed = try #require(LineParser.parse(Array(line.utf8)), "\(line)")
                #expect(parsed.depth == depth && parsed.time == other.time && parsed.fields == ["k": 1], "\(line)")
            }
        }
    }

    @Test("Lines in no known format have no record")
    func foreign() {
        for line in [
            "", "[4,096 bytes lost]", "{", "{}", "[INFO]", "{\"message\":1}", "time=1 level=INFO context=a msg=b",
            "[WHAT] a - b", "\u{0}\u{1}", "2026-13-01T00:00:00.000Z [INFO] a - b", "[INFO] a - b",
            "2026-11-01T00:00:00.000Z [INFO] a", "2026-11-01T00:00:00.000Z [LOUD] a - b", "2026-11-01T00:00:00.000Z",
        ] {
            #expect(LineParser.parse(Array(line.utf8)) == nil, "\(line)")
        }
    }

    @Test("Damaged lines are parsed or rejected without a trap", arguments: 1...20 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for (_, format) in Self.formats {
            let line = Array(record("x a=1 \"q\"", Self.fields).formatted(as: format).utf8)
            for _ in 0..<50 {
                var bytes = Array(line.prefix(.random(in: 0...line.count, using: &random)))
                for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                    bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                let parsed = LineParser.parse(bytes)
                #expect(parsed == nil || (parsed?.message.utf8.count ?? 0) <= bytes.count * 3, "seed \(seed)")
            }
        }
    }

    private static func line(_ parsed: ParsedLine) -> LogLine {
        LogLine(
            text: parsed.copy.formatted(as: .jsonLines), time: parsed.time ?? LogTime(nanoseconds: 5),
            runStartedAt: LogTime(nanoseconds: 0), processID: 1)
    }

    private static func query(_ change: (inout LogQuery) -> Void) -> LogQuery {
        var query = LogQuery()
        change(&query)
        return query
    }

    @Test("A query matches by level, context, time, text and field")
    func queries() {
        var parsed = ParsedLine(time: LogTime(nanoseconds: 100), level: .warning, context: "net.http")
        parsed.message = "The Text"
        parsed.fields = ["status": 503, "user": ["name": "ada"]]
        let line = Self.line(parsed)
        let cases: [(LogQuery, Bool)] = [
            (LogQuery(), true), (LogQuery(level: .warning), true), (LogQuery(level: .error), false),
            (LogQuery(context: "net"), true), (LogQuery(context: "net.http"), true), (LogQuery(context: "ne"), false),
            (LogQuery(context: "net.http.x"), false), (LogQuery(text: "the t"), true), (LogQuery(text: "thet"), false),
            (LogQuery(text: ""), true), (Self.query { $0.since = LogTime(nanoseconds: 100) }, true),
            (Self.query { $0.since = LogTime(nanoseconds: 101) }, false),
            (Self.query { $0.until = LogTime(nanoseconds: 100) }, false),
            (Self.query { $0.until = LogTime(nanoseconds: 101) }, true),
            (Self.query { $0.fields["status"] = "503" }, true), (Self.query { $0.fields["status"] = 504 }, false),
            (Self.query { $0.fields["user.name"] = "ada" }, true), (Self.query { $0.fields["user.age"] = 3 }, false),
        ]
        for (index, (query, matches)) in cases.enumerated() { #expect(query.matches(line) == matches, "case \(index)") }
        let foreign = LogLine(
            text: "signal", time: line.time, runStartedAt: line.time, processID: 1)
        #expect(LogQuery(text: "SIG").matches(foreign) && !LogQuery(level: .verbose).matches(foreign))
    }

    @Test("Runs are merged by time, and lines without a time follow the line before", arguments: modes)
    func merged(mode: LogStorageMode) throws {
        let folder = TemporaryFolder()
        let systems = (0..<3).map { _ in
            TestSystem(in: folder) {
                $0.mode = mode
                $0.format = .standard
                $0.rotation = LogRotation(segmentBytes: 4096)
            }
        }
        for index in 0..<300 { systems[index % 3].log("run\(index % 3)").info("line \(index)\nand more", ["i": index]) }
        for system in systems { system.pipeline.shutdown() }
        let reader = LogReader(folder: folder.path, application: "test")
        let lines = Array(reader.lines())
        #expect(lines.count == 300 && Set(lines.map(\.runStartedAt)).count == 3)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.time <= $1.time })
        let one = reader.lines(matching: LogQuery(context: "run1"))
        #expect(one.compactMap { $0.record?.fields["i"] } == stride(from: 1, to: 300, by: 3).map { .integer($0) })
        #expect(LogReader(folder: folder.path, application: "other").lines().isEmpty)
    }

    #if os(Linux) || os(macOS)
        @Test(
            "A run that one process wrote is read by another: application, start, end, lines, levels and typed fields",
            .timeLimit(.minutes(2)), arguments: [LogStorageMode.writeThrough, .mapped], [false, true])
        func otherProcess(mode: LogStorageMode, isJSON: Bool) async throws {
            let folder = TemporaryFolder()
            let before = LogTime.now
            let isMapped = mode == .mapped
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder.path as String, isMapped = isMapped as Bool, isJSON = isJSON as Bool] in
                var configuration = LogConfiguration(folder: folder, threshold: .verbose, sinks: [])
                configuration.application = "writer"
                configuration.readsEnvironment = false
                configuration.mode = isMapped ? .mapped : .writeThrough
                configuration.format = isJSON ? .jsonLines : .standard
                try #require(LogSystem.start(configuration).mode == configuration.mode)
                Log("net.http").warning("slow answer", ["status": 503, "ratio": 0.5, "ok": false, "text": "a \"b\" c"])
                Log("net.http").indent(true).error("size=value \(7)\nsecond line", ["timing": ["wait": 3]])
                Log("End").verbose("the last line")
                kill(getpid(), SIGKILL)
            }
            let reader = LogReader(folder: folder.path, application: "writer")
            let run = try #require(reader.runs.first)
            #expect(reader.runs.count == 1 && run.outcome == .unclean && run.application == "writer")
            #expect(run.startedAt > before && run.startedAt < .now && run.lostLines == 0)
            #expect(run.processID != getpid() && run.log.hasSuffix("\n") && !run.log.contains("\0"))
            let lines = Array(reader.lines())
            try #require(lines.count == 3)
            #expect(lines.map(\.text) == run.log.split(separator: "\n").map(String.init))
            let records = try lines.map { try #require($0.record) }
            #expect(records.map(\.level) == [.warning, .error, .verbose])
            #expect(records.map(\.context) == ["net.http", "net.http", "End"] && records.map(\.depth) == [0, 1, 1])
            #expect(records.map(\.message) == ["slow answer", "size=value 7\nsecond line", "the last line"])
            #expect(records[0].fields == ["status": 503, "ratio": 0.5, "ok": false, "text": "a \"b\" c"])
            #expect(records[1].fields == (isJSON ? ["timing": ["wait": 3]] : ["timing.wait": 3]))
            // Lines print milliseconds only.
            let start = run.startedAt.nanoseconds - 1_000_000
            #expect(records.allSatisfy { $0.time.nanoseconds >= start && $0.time < .now })
            #expect(zip(lines, records).allSatisfy { $0.time == $1.time && $0.processID == run.processID })
            #expect(reader.lines(matching: LogQuery(level: .error)).map(\.text) == [lines[1].text])
        }
    #endif

    @Test("Messages that continue behind gutters are one line")
    func continued() throws {
        let system = TestSystem { $0.format.continuesLines = true }
        system.log().info("one\n[ERROR] B - two\r\nthree", ["k": 1])
        system.log().info("next")
        system.pipeline.shutdown()
        let lines = LogReader(folder: system.folder.path).lines()
        #expect(lines.map { $0.record?.message } == ["one\n[ERROR] B - two\nthree", "next"])
        #expect(lines.map { $0.record?.fields } == [["k": 1], [:]])
        #expect(lines.allSatisfy { $0.record?.time == $0.time })
    }

    @Test(
        "Following returns each line of each run once and in order, in new segments and new runs too", arguments: modes)
    func following(mode: LogStorageMode) throws {
        let folder = TemporaryFolder()
        func start() -> TestSystem {
            TestSystem(in: folder) {
                $0.mode = mode
                $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
            }
        }
        var random = SeededRandom(seed: 4)
        let first = start()
        first.log().info("before")
        _ = first.pipeline.flush(sync: false)
        var follower = RunFollower(reader: LogReader(folder: folder.path))
        #expect(follower.newLines().compactMap { $0.record?.message } == ["before"])
        var (expected, found): ([String], [String]) = ([], [])
        for round in 0..<20 {
            let system = round == 10 ? start() : first
            for index in 0..<Int.random(in: 0...60, using: &random) {
                system.log().info("\(round) \(index)")
                expected.append("\(round) \(index)")
            }
            if round == 10 { system.pipeline.shutdown() }
            _ = first.pipeline.flush(sync: false)
            found += follower.newLines().compactMap { $0.record?.message }
        }
        first.pipeline.shutdown()
        #expect(found == expected && follower.newLines().isEmpty)
    }

    @Test("Following from the start returns the lines after the holes in damaged runs")
    func followingDamage() throws {
        let folder = TemporaryFolder()
        let hole = String(repeating: "\0", count: 4096)
        try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0, log: "[INFO] A - one\n" + hole + "[INFO] A - two\n")
        var follower = RunFollower(reader: LogReader(folder: folder.path))
        #expect(follower.newLines().map(\.text) == ["[INFO] A - one", "[4,096 bytes lost]", "[INFO] A - two"])
        #expect(follower.newLines().isEmpty)
    }

    @Test("A file that another program truncates is followed from its start")
    func followingTruncation() throws {
        let system = TestSystem()
        var follower = RunFollower(reader: LogReader(folder: system.folder.path))
        system.log().info("a first line")
        #expect(follower.newLines().map { $0.record?.message } == ["a first line"])
        let path = try #require(system.folder.names.first { $0.hasSuffix(".log") })
        #expect(truncate(system.folder.path + "/" + path, 0) == 0)
        system.log().info("x")
        #expect(follower.newLines().map { $0.record?.message } == ["x"])
        #expect(follower.newLines().isEmpty)
    }

    @Test("Any query returns the lines that match, in both formats and across segments", arguments: 1...4)
    func pieces(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let folder = TemporaryFolder()
        for index in 0..<4 {
            let system = TestSystem(in: folder) {
                $0.mode = modes[index % modes.count]
                $0.retention.runs = 20
                $0.format = index < 2 ? .standard : .jsonLines
                $0.format.continuesLines = index % 2 == 0
                $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
            }
            for number in 0..<80 {
                let log = system.log(["net", "net.http", "network", "a b"].randomElement(using: &random) ?? "")
                let message = "line \(number) " + ["error", "Timeout\nmore", "x"].randomElement(using: &random)!
                log.log(
                    LogLevel.allCases.randomElement(using: &random) ?? .info, "\(message)",
                    ["status": number % 3, "o": ["k": number % 2], "user-id": number % 4, "a b": number % 5])
            }
            system.pipeline.shutdown()
        }
        let reader = LogReader(folder: folder.path)
        let all = Array(reader.lines())
        #expect(all.count == 4 * 80 && all.allSatisfy { $0.record != nil })
        for run in reader.runs {
            var (pieces, bytes) = (RunPieces(files: run.files), [UInt8]())
            while let piece = pieces.next() { bytes += piece }
            #expect(bytes == RunReader.contents(of: run.files, limit: nil))
        }
        let queries: [LogQuery] = [
            LogQuery(level: .error), LogQuery(level: .debug), LogQuery(context: "net"), LogQuery(context: "a b"),
            LogQuery(text: "TIMEOUT"), LogQuery(level: .critical, context: "net.http", text: "x"),
            Self.query { $0.fields["status"] = 2 }, Self.query { $0.fields["o.k"] = 1 },
            Self.query { $0.fields = ["user-id": 3, "status": 1] },
            Self.query { $0.fields["absent"] = LogFieldValue.none }, Self.query { $0.since = all[100].time },
        ]
        for (index, query) in queries.enumerated() {
            let found = Array(reader.lines(matching: query))
            #expect(found == all.filter { query.matches($0) }, "query \(index): \(found.count) lines")
            #expect(found.isEmpty == reader.lines(matching: query).isEmpty)
        }
        #expect(reader.lines(matching: queries[7]).count == 4 * 40)
    }

    @Test("Reading begins with a part of the files, and an iterator continues where it is")
    func lazily() throws {
        let system = TestSystem { $0.rotation = LogRotation(segmentBytes: 1 << 20, runBytes: 64 << 20) }
        for index in 0..<20_000 { system.log().info("line \(index) \(String(repeating: "x", count: 80))") }
        system.pipeline.shutdown()
        var lines = LogReader(folder: system.folder.path).lines().makeIterator()
        #expect(lines.next()?.record?.message.hasPrefix("line 0 ") == true)
        // The rest is read from the files only when it is needed.
        for name in system.folder.names where name.hasSuffix(".1.log") {
            try FileManager.default.removeItem(atPath: system.folder.file(name))
        }
        var count = 1
        while lines.next() != nil { count += 1 }
        #expect(count > 5000 && count < 20_000)
    }

    @Test("Following waits by its clock and ends with its task", .timeLimit(.minutes(5)))
    func followingSequence() async throws {
        let system = TestSystem()
        system.log().info("old")
        let reader = LogReader(folder: system.folder.path)
        var old = reader.follow(fromStart: true).makeAsyncIterator()
        #expect(await old.next()?.record?.message == "old")
        let lines = reader.follow(matching: LogQuery(level: .warning), every: .milliseconds(1))
        system.log().info("filtered")
        system.log().warning("new")
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next()?.record?.message == "new")
        let clock = ManualClock()
        let waiting = reader.follow(every: .seconds(9), clock: clock)
        let task = Task {
            var messages: [String?] = []
            for await line in waiting { messages.append(line.record?.message) }
            return messages
        }
        await clock.untilSomebodySleeps()
        system.log().error("last")
        clock.advance(by: .seconds(9))
        await clock.untilSomebodySleeps()
        task.cancel()
        #expect(await task.value == ["last"])
    }

    @Test("Following from now skips all segments, also beside a file of signal handlers", arguments: modes)
    func followingFromNow(mode: LogStorageMode) throws {
        let system = TestSystem {
            $0.mode = mode
            $0.rotation = LogRotation(segmentBytes: 4096, runBytes: 1 << 20)
        }
        for index in 0..<200 { system.log().info("old \(index)") }
        _ = system.pipeline.flush(sync: false)
        let run = try #require(PriorRun.all(in: system.folder.path).first)
        try system.folder.write("from a handler\n", to: "\(run.baseName).child\(run.processID).log")
        var follower = RunFollower(reader: LogReader(folder: system.folder.path))
        follower.skip()
        for index in 0..<200 { system.log().info("new \(index)") }
        _ = system.pipeline.flush(sync: false)
        #expect(follower.newLines().compactMap { $0.record?.message } == (0..<200).map { "new \($0)" })
    }

    @Test("A reader finds runs of an application with a long name")
    func longApplication() {
        let name = "com.example.company.product.application.helper"
        let system = TestSystem { $0.application = name }
        #expect(LogReader(folder: system.folder.path, application: name).runs.count == 1)
    }

    @Test("A run is followed from its first moment to its last segment")
    func followingWholeRun() throws {
        let folder = TemporaryFolder()
        let name = RunName(startedAt: 5, processID: 0x7FFF_FFF0, tag: 0)
        try folder.write("", to: name.stateFile)
        var follower = RunFollower(reader: LogReader(folder: folder.path))
        #expect(follower.newLines().isEmpty)
        try folder.makeRun(startedAt: 5, pid: 0x7FFF_FFF0, ending: .clean, log: "[INFO] A - one\n")
        #expect(follower.newLines().map(\.text) == ["[INFO] A - one"])
        try folder.write("[INFO] A - two\n", to: RunFile(run: name, part: .segment(1)).name)
        #expect(follower.newLines().map(\.text) == ["[INFO] A - two"])
        #expect(follower.newLines().isEmpty)
    }
}
