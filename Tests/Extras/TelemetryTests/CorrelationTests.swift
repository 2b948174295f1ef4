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
            record.formatted(as: .openTelemetry) == """
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
            let line = LogRecord.notice("x").adding(["deep": value]).formatted(as: .openTelemetry)
            #expect(line.contains("...") && line.utf8.count < 8000, "\(line)")
        }
        let fields = LogFields(
            (0..<20).map { .init(key: "f\($0)", value: .string(String(repeating: "é", count: $0 * 20))) })
        for limit in [1024, 1500, 2048, 4000] {
            let line = LogRecord.notice("x").adding(fields)
                .formatted(as: .openTelemetry, maximumBytes: limit)
            #expect(line.utf8.count <= limit)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    @Test("While a span is active, every line of its task and child tasks has its identifiers, in every format")
    func spans() async throws {
        let system = TestSystem()
        let log = system.log().with(["bound": 1])
        let span = TraceSpan()
        log.info("before")
        await span.whileActive {
            #expect(TraceSpan.current == span)
            log.info("one")
            await Task.yield()
            await withTaskGroup(of: Void.self) { group in group.addTask { system.log("B").error("two", ["k": 1]) } }
            TraceSpan.next.whileActive {
                #expect(TraceSpan.current?.traceID == span.traceID && TraceSpan.current?.spanID != span.spanID)
                log.info("three")
            }
        }
        log.info("after")
        #expect(TraceSpan.current == nil)
        let records = LogReader(folder: system.folder.path).lines().compactMap(\.record)
        let traces = records.map { $0.fields["trace_id"]?.description }
        let spans = records.map { $0.fields["span_id"]?.description }
        #expect(traces == [nil, span.traceID, span.traceID, span.traceID, nil])
        #expect(spans[1] == span.spanID && spans[2] == span.spanID && spans[3] != nil && spans[3] != span.spanID)
        let line = records[1].formatted(as: .openTelemetry)
        #expect(line.contains("\"traceId\":\"\(span.traceID)\",\"spanId\":\"\(span.spanID)\""))
    }

    @Test("A span continues the trace of a well-formed traceparent only")
    func traceparents() throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let span = try #require(TraceSpan(traceparent: text))
        #expect(span.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && span.isSampled)
        #expect(span.spanID != "00f067aa0ba902b7" && TraceSpan(traceparent: span.traceparent)?.traceID == span.traceID)
        #expect(TraceSpan(traceparent: text.dropLast() + "0")?.isSampled == false)
        #expect(TraceSpan(traceparent: "cc" + text.dropFirst(2) + "-later") != nil)
        for bad in [
            "", "00", text.uppercased(), text + "-x", "ff" + text.dropFirst(2), String(text.dropLast()), " " + text,
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", text.replacing("a", with: "g"),
        ] {
            #expect(TraceSpan(traceparent: bad) == nil, "\(bad)")
        }
    }

    @Test("Trace and span are members of OpenTelemetry's record")
    func correlation() throws {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        let fields: LogFields = ["trace_id": trace, "span_id": span]
        let line = LogRecord.notice("x").adding(fields).formatted(as: .openTelemetry)
        #expect(line.contains("\"traceId\":\"\(trace)\",\"spanId\":\"\(span)\","), "\(line)")
        // A collector refuses a request with malformed identifiers.
        for text in ["", "xyz", String(trace.dropLast()), trace + "0", String(repeating: "ä", count: 16)] {
            let line = LogRecord.notice("x").adding(["trace_id": text]).formatted(as: .openTelemetry)
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
