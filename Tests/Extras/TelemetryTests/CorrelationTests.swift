import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging
@testable import AshlarTelemetry

/// The members that collectors expect.
@Suite struct CorrelationTests {
    @Test("The profile of OpenTelemetry has the names and types of OTLP")
    func openTelemetry() throws {
        let record = LogRecord(
            sequence: 3, level: .warning, time: LogTime(nanoseconds: 1_795_180_952_123_456_789), depth: 0,
            context: "Net", message: "slow", fields: ["ms": 12], file: "M/F.swift", function: "f()", line: 9,
            threadID: 5)
        #expect(
            record.formatted(as: .json(.openTelemetry)) == """
                {"timeUnixNano":"1795180952123456789","severityNumber":13,"severityText":"WARNING",\
                "body":{"stringValue":"slow"},"attributes":[\
                {"key":"code.file.path","value":{"stringValue":"M/F.swift"}},\
                {"key":"code.function.name","value":{"stringValue":"f()"}},\
                {"key":"code.line.number","value":{"intValue":"9"}},{"key":"thread.id","value":{"intValue":"5"}},\
                {"key":"log.context","value":{"stringValue":"Net"}},{"key":"ms","value":{"intValue":"12"}}]}
                """)
    }

    @Test("Deep and long values are truncated, and the line stays valid JSON")
    func truncated() throws {
        var list = LogFieldValue.integer(1)
        var object = LogFieldValue.integer(1)
        for _ in 0..<1000 {
            list = .array([list])
            object = .object(["k": object])
        }
        for value in [list, object] {
            let line = LogRecord.notice("x").adding(["deep": value]).formatted(as: .json(.openTelemetry))
            #expect(line.contains("...") && line.utf8.count < 8000, "\(line)")
        }
        let fields = LogFields(
            (0..<20).map { .init(key: "f\($0)", value: .string(String(repeating: "é", count: $0 * 20))) })
        for limit in [1024, 1500, 2048, 4000] {
            let line = LogRecord.notice("x").adding(fields)
                .formatted(as: .json(.openTelemetry), maximumBytes: limit)
            #expect(line.utf8.count <= limit)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    @Test("Trace and span are the members that collectors expect, and are parsed as fields")
    func correlation() throws {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        let fields: LogFields = ["trace_id": trace, "span_id": span]
        let expected: [(LogJSONProfile, String)] = [
            (.ecs, "\"trace.id\":\"\(trace)\",\"span.id\":\"\(span)\","),
            (
                .googleCloud,
                "\"logging.googleapis.com/trace\":\"\(trace)\",\"logging.googleapis.com/spanId\":\"\(span)\","
            ),
            (.openTelemetry, "\"traceId\":\"\(trace)\",\"spanId\":\"\(span)\","),
        ]
        for (profile, members) in expected {
            let line = LogRecord.notice("x").adding(fields).formatted(as: .json(profile))
            #expect(line.contains(members), "\(line)")
            #expect(LineParser([]).parse(Array(line.utf8))?.fields == fields)
        }
        // A collector refuses a request with malformed identifiers.
        for text in ["", "xyz", String(trace.dropLast()), trace + "0", String(repeating: "ä", count: 16)] {
            let line = LogRecord.notice("x").adding(["trace_id": text]).formatted(as: .json(.openTelemetry))
            #expect(!line.contains("traceId"), "\(line)")
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
