import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct ConsoleSinkTests {
    private func record(
        _ message: String, _ fields: LogFields = [:], context: String = "net", level: LogLevel = .warning,
        depth: Int = 0
    ) -> LogRecord {
        let midnight = Int64(1_795_132_800) - Int64(SystemCalls.localOffset(at: 1_795_132_800))
        return LogRecord(
            sequence: 1, level: level, time: LogTime(nanoseconds: (midnight + 3723) * 1_000_000_000 + 4_000_000),
            depth: depth, context: context, message: message, fields: fields, file: "F", function: "f", line: 1,
            threadID: 1)
    }

    /// The text that a sink prints for the records.
    private func printed(width: Int?, isColored: Bool = false, _ records: LogRecord...) throws -> String {
        let folder = TemporaryFolder()
        try folder.make()
        let descriptor = SystemCalls.openForAppending(folder.path + "/out", exclusive: true)
        defer { SystemCalls.close(descriptor) }
        let output = StandardErrorSink(descriptor: descriptor, format: .myLogger, isColored: isColored)
        let sink = ConsoleSink(output) { width }
        for record in records { #expect(sink.receive(record)) }
        return try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
    }

    @Test("Columns are aligned, and the indent moves the message")
    func columns() throws {
        let text = try printed(
            width: 100, record("slow", ["ms": 12]), record("x", context: "Importer.parse", level: .info),
            record("deep", context: "a", level: .debug, depth: 1))
        #expect(
            text == """
                01:02:03.004 WARN  net       slow  ms=12
                01:02:03.004 INFO  Importer.parse  x
                01:02:03.004 DEBUG a                 deep

                """)
    }

    @Test("Lines of a message and fields that don't fit start below the message")
    func margins() throws {
        let text = try printed(width: 50, record("one\ntwo", ["key-a": "first\nsecond", "b": "a value that is long"]))
        let margin = String(repeating: " ", count: 29)
        #expect(
            text == """
                01:02:03.004 WARN  net       one
                \(margin)two
                \(margin)key-a=first
                \(margin)      second
                \(margin)b=a value that is long

                """)
    }

    @Test("Colors follow level and context, and control characters stay escaped")
    func colors() throws {
        let text = try printed(width: 100, isColored: true, record("a\u{1B}[0m", ["k": 1]))
        #expect(text.hasPrefix("\u{1B}[2m01:02:03.004\u{1B}[0m \u{1B}[33mWARN\u{1B}[0m  \u{1B}["))
        #expect(text.contains("a\\x1B[0m\u{1B}[2m  k=1\u{1B}[0m\n"))
    }

    @Test("A stream that isn't a terminal receives one line for each record")
    func pipe() throws {
        #expect(try printed(width: nil, record("one\ntwo", ["k": 1])) == "[WARNING] net - one\\ntwo k=1\n")
    }

    @Test("Wide levels, long contexts, line ends of every kind and control characters stay in their columns")
    func oddities() throws {
        let text = try printed(
            width: 100, record("a\r\nb\u{2028}c", context: String(repeating: "x", count: 40), level: .analytic),
            record("", ["k": ""], context: "e\u{1B}[2J"))
        let margin = String(repeating: " ", count: 45)
        #expect(
            text == """
                01:02:03.004 DATA  \(String(repeating: "x", count: 24))  a
                \(margin)b
                \(margin)c
                01:02:03.004 WARN  e\\x1B[2J                    k=""

                """)
    }
}
