import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@testable import AshlarLogging

@Suite struct FieldTests {
    @Test("Bound fields come before those of the line, and share the logger's level")
    func bound() {
        let system = TestSystem()
        let log = system.log().with(["request": 7, "user": .private("bob")])
        log.info("one")
        log.debug("two", ["k": 1])
        log.with(["more": true]).info("three")
        log.level = .error
        system.log().info("other")
        log.info("hidden")
        #expect(
            system.lines == [
                "[INFO] A - one request=7 user=<private>", "[DEBUG] A - two request=7 user=<private> k=1",
                "[INFO] A - three request=7 user=<private> more=true", "[INFO] A - other",
            ])
    }

    @Test("Scoped fields are on the lines of all loggers, of child tasks and after awaits")
    func scoped() async {
        let system = TestSystem()
        let log = system.log()
        await LogSystem.withFields(["trace": "a"]) {
            log.info("one")
            await Task.yield()
            await withTaskGroup(of: Void.self) { group in group.addTask { system.log("B").info("two", ["k": 1]) } }
            LogSystem.withFields(["span": "b"]) { log.with(["bound": 1]).info("three") }
            await Task.detached { log.info("detached") }.value
        }
        log.info("after")
        #expect(
            system.lines == [
                "[INFO] A - one trace=a", "[INFO] B - two trace=a k=1", "[INFO] A - three bound=1 trace=a span=b",
                "[INFO] A - detached", "[INFO] A - after",
            ])
    }

    @Test("Of several values of a key, the innermost one is printed, once, in every format")
    func unique() throws {
        let sink = RecordingSink()
        let system = TestSystem {
            $0.fieldProvider = { ["k": "provider", "provided": true] }
            $0.sinks = [sink]
        }
        let log = system.log().with(["k": "with", "bound": 1])
        LogSystem.withFields(["k": "outer", "scope": 1]) {
            LogSystem.withFields(["k": "inner"]) {
                log.info("one", ["k": "call", "own": 1])
                log.info("two")
            }
            log.scope("three", ["k": "scope"]) { log.info("four") }
        }
        log.info("five", ["a": 1, "a": 2, "object": LogFieldValue.object(["x": 1, "x": 2])])
        system.log().info("six")
        let values = sink.records.map { $0.fields["k"]?.description }
        #expect(values == ["call", "inner", "scope", "scope", "scope", "with", "provider"])
        #expect(system.lines[0] == "[INFO] A - one k=call bound=1 scope=1 own=1 provided=true")
        #expect(sink.records[0].unifiedLogText == "one k=call bound=1 scope=1 own=1 provided=true")
        for record in sink.records {
            for format in [LogFormat.standard, .logfmt, .jsonLines] {
                let line = record.formatted(as: format)
                for key in record.fields.list.map(\.key) where key != "object" {
                    let count = line.matches(of: try Regex("[ {,\"]\(key)(\":|=)")).count
                    #expect(count == 1, "\(key): \(line)")
                }
            }
        }
    }

    @Test("Lists of any length have each key once, with its last value in its first place")
    func longLists() throws {
        var random = SeededRandom(seed: 5)
        for count in [0, 1, 5, 24, 25, 300] {
            var (fields, model) = ([:] as LogFields, [(String, Int)]())
            for index in 0..<count {
                let key = "k\(Int.random(in: 0...count / 2, using: &random))"
                fields.append(contentsOf: [key: index])
                if let at = model.firstIndex(where: { $0.0 == key }) {
                    model[at].1 = index
                } else {
                    model.append((key, index))
                }
            }
            let elements = model.map { LogFields.Element(key: $0.0, value: .integer(Int64($0.1))) }
            #expect(fields.list == elements)
            #expect(LogFields(elements + elements).list == elements)
            guard count > 0 else { continue }
            let first = try #require(model.first)
            fields[first.0] = nil
            #expect(fields[first.0] == nil && fields.elements.count == model.count - 1)
            #expect(fields.isEmpty == (model.count == 1))
        }
    }

    @Test("A hook drops and rewrites the fields of every line, in the run file, the sinks and recorded lines")
    func hook() {
        let sink = RecordingSink()
        let system = TestSystem(threshold: .info) {
            $0.sinks = [sink]
            $0.recording = .debug
            $0.fieldProvider = { ["email": "a@b.c", "host": "h"] }
            $0.fieldHook = { fields, context in
                fields["email"] = nil
                if context == "B" { fields["host"] = .string("other") }
                if fields["x"] != nil { fields["password"] = .string("hunter2") }
            }
        }
        system.log().debug("recorded", ["email": 1])
        system.log("B").with(["email": 2]).error("one", ["x": 1])
        #expect(system.lines == ["[DEBUG] A - recorded host=h", "[ERROR] B - one x=1 host=other password=<redacted>"])
        #expect(sink.records.map(\.fields.elements.count) == [1, 3])
    }

    @Test("The methods of levels return nothing, so tasks and closures need no result")
    func results() async {
        let system = TestSystem()
        let log = system.log()
        await Task { log.info("task") }.value
        let closure = { log.info("closure") }
        closure()
        func run(_ body: () -> Void) { body() }
        run { log.info("\(1)") }
        log.indent(true).info("deeper")
        log.indent(false)
        #expect(system.lines == ["[INFO] A - task", "[INFO] A - closure", "[INFO] A - 1", "  [INFO] A - deeper"])
    }

    @Test("The provider's fields are on each line")
    func provider() {
        let calls = Atomic<Int>(0)
        let system = TestSystem {
            $0.fieldProvider = { ["span": calls.add(1, ordering: .relaxed).newValue] }
        }
        system.log().info("one", ["k": "v"])
        system.log().info("two")
        #expect(system.lines == ["[INFO] A - one k=v span=1", "[INFO] A - two span=2"])
    }

    @Test("A value whose key names a secret is hidden, unless it is marked public")
    func secrets() {
        let system = TestSystem()
        system.log().info("x", ["password": "hunter2", "apiKey": 12, "hasToken": true, "tokenType": "jwt"])
        system.log().info("y", ["token": .public("known"), "login": LogFieldValue.object(["pin": 4711])])
        #expect(
            system.lines == [
                "[INFO] A - x password=<redacted> apiKey=<redacted> hasToken=true tokenType=jwt",
                "[INFO] A - y token=known login.pin=<redacted>",
            ])
    }

    struct Failure: Error, CustomStringConvertible {
        var code = 42
        var underlying: (any Error)?
        var description: String { "failure \(code)" }
    }

    @Test("Lists, objects, times and errors print in text and JSON")
    func nested() throws {
        let fields: LogFields = [
            "tags": ["a", "b c"], "http": LogFieldValue.object(["path": "/x", "status": 200]),
            "at": LogFieldValue.time(LogTime(nanoseconds: 0)),
            "error": .error(Failure(code: 1, underlying: Failure(code: 2))),
        ]
        let record = LogRecord(
            sequence: 1, level: .info, time: LogTime(nanoseconds: 0), depth: 0, context: "A", message: "m",
            fields: fields, file: "F", function: "f", line: 1, threadID: 1)
        let type = String(reflecting: Failure.self)
        #expect(
            record.formatted(as: .myLogger)
                == "[INFO] A - m tags=\"[a,b c]\" http.path=/x http.status=200 at=1970-01-01T00:00:00.000Z "
                + "error.message=\"failure 1\" error.type=\(type) error.code=1 error.underlying.message=\"failure 2\" "
                + "error.underlying.type=\(type) error.underlying.code=2")
        let json = try JSONSerialization.jsonObject(with: Data(record.formatted(as: .jsonLines).utf8))
        let object = try #require((json as? [String: Any])?["fields"] as? NSDictionary)
        let expected: NSDictionary = [
            "tags": ["a", "b c"], "http": ["path": "/x", "status": 200], "at": "1970-01-01T00:00:00.000Z",
            "error": [
                "message": "failure 1", "type": type, "code": 1,
                "underlying": ["message": "failure 2", "type": type, "code": 2],
            ],
        ]
        #expect(object.isEqual(expected))
    }

    @Test(
        "A message that could be read as having fields is quoted",
        arguments: [
            ("a k=1", #""a k=1""#), ("k=1", #""k=1""#), ("a = b", "a = b"),
            ("http://h/?a=b c=", #""http://h/?a=b c=""#),
            ("see http://h/?a=b", "see http://h/?a=b"), ("\"x\" k=\"1\"", #""\"x\" k=\"1\"""#), ("é=1", "\"é=1\""),
            ("a\tk=1", #""a\tk=1""#), ("==", "=="), ("x=", "\"x=\""),
        ])
    func forgery(message: String, printed: String) {
        let system = TestSystem()
        system.log().info("\(message)", ["f": 1])
        #expect(system.lines == ["[INFO] A - \(printed) f=1"])
    }

    @Test(
        "Fields of many shapes stay within the limit of a line, in every format",
        arguments: 1...30 as ClosedRange<UInt64>)
    func limits(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func value(_ depth: Int) -> LogFieldValue {
            switch Int.random(in: 0...(depth > 60 ? 4 : 7), using: &random) {
            case 0: .string(String(repeating: "é\"", count: .random(in: 0...400, using: &random)))
            case 1: .integer(.random(in: .min ... .max, using: &random))
            case 2: .float(.random(in: -1e300...1e300, using: &random))
            case 3: .boolean(true)
            case 4: .none
            case 5: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth + 1) })
            default: .object(LogFields([.init(key: "k\(depth)", value: value(depth + 1))]))
            }
        }
        let fields = LogFields((0..<20).map { .init(key: "f\($0)", value: value(0)) })
        let record = LogRecord(
            sequence: 1, level: .info, time: LogTime(nanoseconds: 0), depth: 0, context: "A", message: "m",
            fields: fields, file: "F", function: "f", line: 1, threadID: 1)
        for format in [LogFormat.myLogger, .logfmt, .jsonLines] {
            let line = record.formatted(as: format, maximumBytes: 2048)
            #expect(line.utf8.count <= 2048)
            #expect(!line.utf8.contains { $0 < 0x20 })
        }
        let line = record.formatted(as: .jsonLines, maximumBytes: 2048)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }

    @Test(
        "An object or a list that is too long for a line of JSON loses its last values only", arguments: ["", "long"])
    func longValues(prefix: String) {
        // Longer than the room that a value needs, so that the end of each value can be beyond the limit.
        let texts = (0..<200).map { String(repeating: prefix, count: 15) + " \($0)" }
        let values = [
            LogFieldValue.object(LogFields(texts.map { .init(key: $0, value: .none) })),
            .array(texts.map { .string($0) }),
        ]
        for nested in values.flatMap({ [LogFieldValue.object(["b": $0]), .array([$0])] }) {
            // Each length moves the end of another value to the limit.
            for length in 0..<80 {
                let record = LogRecord.notice(String(repeating: "m", count: length)).adding(["a": nested])
                let line = record.formatted(as: .jsonLines, maximumBytes: 1024)
                #expect(line.utf8.count <= 1024 && line.contains(" 5\"") && !line.contains(" 199\""), "\(line)")
                // Foundation accepts a comma behind the last value.
                #expect(!line.contains(",}") && !line.contains(",]"), "\(line)")
                #expect(throws: Never.self, "\(line)") { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            }
        }
    }

    @Test("Deeply nested values print down to a level, in every format")
    func deepValues() {
        var list = LogFieldValue.integer(1)
        var object = LogFieldValue.integer(1)
        for _ in 0..<1000 {
            list = .array([list])
            object = .object(["k": object])
        }
        for format in [LogFormat.standard, .logfmt, .jsonLines] {
            for value in [list, object] {
                let line = LogRecord.notice("x").adding(["deep": value]).formatted(as: format)
                #expect(line.contains("...") && line.utf8.count < 8000, "\(line)")
            }
        }
    }
}

extension LogRecord {
    /// The record with other fields.
    fileprivate func adding(_ fields: LogFields) -> LogRecord {
        LogRecord(
            sequence: sequence, level: level, time: time, depth: depth, context: context, message: message,
            fields: fields, file: file, function: function, line: line, threadID: threadID)
    }
}
