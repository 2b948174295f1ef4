import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTelemetry

/// A collector that returns outcomes in order, then accepts everything; nil for one that can't be reached.
final class Collector: Sendable {
    struct State {
        var outcomes: [OTLPCollector.Outcome?] = []
        var bodies: [[UInt8]] = []
        var pauses: [Duration] = []
        var notes: [String] = []
    }

    let state = Guarded(State())

    init(_ outcomes: [OTLPCollector.Outcome?] = []) { state.withLock { $0.outcomes = outcomes } }

    func receive(_ body: [UInt8]) -> OTLPCollector.Outcome {
        let outcome: OTLPCollector.Outcome? = state.withLock {
            $0.bodies.append(body)
            return $0.outcomes.isEmpty ? .accepted() : $0.outcomes.removeFirst()
        }
        return outcome ?? .retry()
    }

    /// Ends a pause at once.
    func pause(_ duration: Duration) async {
        state.withLock { $0.pauses.append(duration) }
        await Task.yield()
    }

    func note(_ text: String) { state.withLock { $0.notes.append(text) } }

    /// The messages of each request.
    var messages: [[String]] { get throws { try state.withLock { $0.bodies }.map(Self.messages) } }

    static func messages(_ body: [UInt8]) throws -> [String] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let resources = try #require(object["resourceLogs"] as? [[String: Any]])
        var records: [[String: Any]] = []
        for resource in resources {
            let scopes = try #require(resource["scopeLogs"] as? [[String: Any]])
            records += scopes.flatMap { $0["logRecords"] as? [[String: Any]] ?? [] }
        }
        return records.map { ($0["body"] as? [String: Any])?["stringValue"] as? String ?? "" }
    }

    /// Logs numbered lines to a sink.
    static func log(_ range: Range<Int>, to sink: OTLPSink) {
        for index in range {
            let record = LogRecord(
                sequence: UInt64(index), level: .error, time: LogTime(nanoseconds: 1_700_000_000_000_000_001),
                depth: 0, context: "net", message: "line \(index)",
                fields: ["k": LogFieldValue.array([.integer(1), .boolean(true)])], file: "A/B.swift", function: "f()",
                line: 3, threadID: 9)
            #expect(sink.receive(record))
        }
    }
}
