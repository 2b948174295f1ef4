import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct FormatTests {
    @Test(
        "Patterns print the values of their placeholders",
        arguments: [
            ("%@[%@] %@ - %@", "  [DEBUG] Ctx - msg k=1"), ("%@|%@|%@|%@", "  |DEBUG|Ctx|msg k=1"),
            ("100%% %@%@%@%@", "100%   DEBUGCtxmsg k=1"), ("{message}", "msg k=1"),
            ("{message} <{fields}>", "msg < k=1>"), ("{{{level}}} {message}", "{DEBUG} msg k=1"),
            ("{number} {ftlevel} {context} {indent}{message}", "6 FT_DEBUGGING Ctx   msg k=1"),
            ("{method} {function} {line} {file}: {message}", "get get(from:) 7 M/F.swift: msg k=1"),
        ])
    func patterns(pattern: String, line: String) throws {
        #expect(record.formatted(as: try LogFormat(pattern)) == line)
    }

    @Test(
        "Malformed patterns throw what was expected and found",
        arguments: [
            ("%@ %@ %@", "exactly four %@ (indent, level, context, message)", "3"),
            ("%@%@%@%@%@", "exactly four %@ (indent, level, context, message)", "5"),
            ("%@%@%@%@ %d", "only %@ and %%", "%d"), ("%@%@%@%@%", "only %@ and %%", "% at the end"),
            ("", "four %@, or named placeholders with {message}", "an empty pattern"),
            ("{level}", "four %@, or named placeholders with {message}", "no {message}"),
            ("{messages}", placeholders, "{messages}"), ("{message", "a } for every {", "{message"),
            ("{message}}", "}} or a { before }", "}"),
        ])
    func malformed(pattern: String, expected: String, found: String) throws {
        let error = try #require(throws: LogError.self) { try LogFormat(pattern) }
        #expect(error.text == pattern)
        #expect(error.expected == expected)
        #expect(error.found == found)
        #expect(error.description.contains(found))
    }

    private static let placeholders =
        "{indent}, {level}, {context}, {message}, {fields}, {time}, {sequence}, {number}, {ftlevel}, {file}, {function}, "
        + "{method}, {line} or {thread}"

    @Test("The indent has any character and width, clamped at 64 levels and 256 bytes")
    func indent() {
        var format = LogFormat.myLogger
        func line(_ depth: Int) -> String { copy(depth: depth).formatted(as: format) }
        #expect(line(0) == "[DEBUG] Ctx - msg k=1")
        #expect(line(64).hasPrefix(String(repeating: " ", count: 128) + "["))
        #expect(line(70).hasPrefix(String(repeating: " ", count: 128) + "(+6)["))
        format.indentCharacter = "-"
        format.indentWidth = 1
        #expect(line(3).hasPrefix("---["))
        format.indentWidth = 10
        #expect(line(30).hasPrefix(String(repeating: "-", count: 250) + "(+5)["))
        format.indentCharacter = "→"
        format.indentWidth = 2
        #expect(line(2).hasPrefix("→→→→["))
        #expect(format.indentCharacter == "→" && format.indentWidth == 2)
        format.indentWidth = 0
        #expect(line(5).hasPrefix("[DEBUG]"))
    }

    @Test("JSON lines have every member")
    func json() throws {
        var record = record
        record = copy(
            depth: 3,
            fields: ["s": "a\"b", "i": -1, "u": UInt64.max, "f": 0.5, "b": true, "n": Int?.none, "x": Double.infinity])
        let line = record.formatted(as: .jsonLines)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["message"] as? String == "msg")
        #expect(object["level"] as? String == "DEBUG")
        #expect(object["severity"] as? Int == 6)
        #expect(object["depth"] as? Int == 3)
        #expect(object["seq"] as? Int == 42)
        #expect(object["context"] as? String == "Ctx")
        #expect(object["file"] as? String == "M/F.swift")
        #expect(object["function"] as? String == "get(from:)")
        #expect(object["line"] as? Int == 7)
        #expect(object["thread"] as? Int == 99)
        #expect(object["time"] as? String == "2026-11-20T13:22:32.123Z")
        let fields = try #require(object["fields"] as? [String: Any])
        #expect(fields["s"] as? String == "a\"b")
        #expect(fields["i"] as? Int == -1)
        #expect(fields["f"] as? Double == 0.5)
        #expect(fields["b"] as? Bool == true)
        #expect(fields["n"] is NSNull)
        #expect(fields["x"] as? String == "inf")
        #expect(line.contains("\"u\":18446744073709551615"))
    }

    @Test("logfmt quotes values where necessary")
    func logfmt() {
        #expect(
            copy(depth: 1, message: "all done", fields: ["bytes": 1024, "a b": "c d"]).formatted(as: .logfmt)
                == "time=2026-11-20T13:22:32.123Z level=DEBUG context=Ctx depth=1 msg=\"all done\" bytes=1024 a_b=\"c d\""
        )
    }

    @Test(
        "No format repeats a key: a field with a key of the line itself gets another one",
        arguments: [
            ("logfmt", " ", "=", ["time", "level", "context", "depth", "msg"]),
            ("json", "\"", "\":", ["time", "seq", "level", "context", "message", "fields"]),
        ])
    func ownKeys(name: String, before: String, after: String, keys: [String]) {
        var fields: LogFields = [:]
        for key in keys { fields.append(key, "other") }
        let line = copy(depth: 1, message: "m", fields: fields).formatted(as: name == "json" ? .jsonLines : .logfmt)
        // JSON has the fields in an object of their own, the last member.
        let own =
            " "
            + (line.range(of: #"fields":\{.*"#, options: .regularExpression).map { line[..<$0.lowerBound] }
                ?? line[...])
        for key in keys where key != "fields" {
            #expect(own.components(separatedBy: before + key + after).count == 2, "\(key): \(line)")
        }
    }

    @Test("In logfmt, a key of the line itself and the prefix of such keys get a prefix")
    func ownKeysInLogfmt() {
        let line = copy(depth: 0, message: "m", fields: ["msg": 1, "field.level": 2, "k": 3]).formatted(as: .logfmt)
        #expect(line.hasSuffix(" msg=m field.msg=1 field.field.level=2 k=3"), "\(line)")
    }

    @Test(
        "Times follow the civil calendar, including leap days and years before 1970",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999_000_000, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (-86_400_000_000_000, "1969-12-31T00:00:00.000Z"), (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
            (1_795_180_952_123_456_789, "2026-11-20T13:22:32.123Z"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, text: String) {
        #expect(LogTime(nanoseconds: nanoseconds).description == text)
    }

    @Test("Random times agree with Foundation's calendar")
    func timesAgainstFoundation() {
        var random = SeededRandom(seed: 3)
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime]
        for _ in 0..<500 {
            let second = Int64.random(in: -5_000_000_000...9_000_000_000, using: &random)
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(second)))
            let text = LogTime(nanoseconds: second * 1_000_000_000).description
            #expect(text.replacing(".000Z", with: "Z") == expected)
        }
    }

    @Test(
        "Local times have the offset of the time zone at their point in time", .timeLimit(.minutes(5)),
        arguments: [
            ("UTC0", "2026-06-21T00:00:00.000+00:00 2026-11-20T13:22:32.000+00:00"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-06-21T02:00:00.000+02:00 2026-11-20T14:22:32.000+01:00"),
            ("<-0330>3:30", "2026-06-20T20:30:00.000-03:30 2026-11-20T09:52:32.000-03:30"),
        ])
    func localTimes(zone: String, times: String) throws {
        let child = try TestChild("times", "/", ["seconds=1782000000,1795180952"], environment: ["TZ": zone])
        #expect(try child.run() == times.replacing(" ", with: "\n") + "\n")
    }

    @Test(
        "Durations are in the largest unit that gives at least one",
        arguments: [
            (Duration.zero, "0ns"), (.nanoseconds(999), "999ns"), (.nanoseconds(1500), "1.500us"),
            (.milliseconds(12), "12.000ms"), (.seconds(90), "90.000s"),
        ])
    func durations(duration: Duration, text: String) {
        #expect(duration.logFieldValue == .string(text))
    }

    @Test("The format changes at run time, retains the indent, and rejects malformed patterns")
    func runTime() throws {
        let system = TestSystem { $0.format.indentCharacter = "-" }
        let log = system.log()
        log.scope("s") { log.info("one") }
        system.format = .ftToolBox
        log.info("two")
        #expect(system.lines[1] == "--[INFO] A - one")
        #expect(system.lines[3] == "FT_INFORMATION(4):: A, runTime:: two")
    }

    @Test("A new format applies to the next line")
    func nextLine() throws {
        let system = TestSystem()
        let log = system.log()
        log.info("one")
        log.info("two")
        system.format = try LogFormat("{level}: {message}")
        log.info("three")
        log.info("four")
        system.format = .myLogger
        log.info("five")
        #expect(system.lines == ["[INFO] A - one", "[INFO] A - two", "INFO: three", "INFO: four", "[INFO] A - five"])
    }

    private var record: LogRecord { copy(depth: 1) }

    private func copy(depth: Int, message: String = "msg", fields: LogFields = ["k": 1]) -> LogRecord {
        LogRecord(
            sequence: 42, level: .debug, time: LogTime(nanoseconds: 1_795_180_952_123_456_789), depth: depth,
            context: "Ctx", message: message, fields: fields, file: "M/F.swift", function: "get(from:)", line: 7,
            threadID: 99)
    }
}
